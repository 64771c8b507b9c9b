/**
 * Whether this is the name of a time zone: `UTC`, or an area and a location that the runtime knows, such as
 * `Asia/Seoul`. Offsets such as `+09:00` are not names, and neither are abbreviations such as `CET` or `EST`: PostgreSQL
 * does not know some of them, and treats others as a fixed offset.
 */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  return /^[A-Z][A-Za-z_]*\/[A-Za-z0-9_+/-]+$/.test(name) && isKnownToRuntime(name);
}

/** The name of a stored time zone, or `UTC` when the runtime does not know it. New ones are checked by `isTimeZone`. */
export function timeZoneOrUtc(name: string): string {
  return isKnownToRuntime(name) ? name : 'UTC';
}

/** The zones that the runtime is known to know: asking it takes 50 µs. */
const knownZones = new Set<string>();

function isKnownToRuntime(name: string): boolean {
  if (knownZones.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    knownZones.add(name);
    return true;
  } catch {
    return false;
  }
}

/** The UTC offset in seconds at a local time, given as the milliseconds that `Date.UTC` returns for its digits. */
export type LocalOffset = (localTime: number) => number;

/** The offsets of the local times of a day. */
interface Day {
  /** In seconds. */
  before: number;
  after: number;
  /** The first instant with the offset `after`. */
  change: number;
}

interface Zone {
  /** The offset at an instant, in seconds. */
  at: (instant: number) => number;
  /** Caches of the local days near a change, which take ten times as long to find, and of all others. */
  changes: Map<number, Day>;
  days: Map<number, Day>;
}

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const MAX_CACHED_DAYS = 4_096;
const MAX_CACHED_ZONES = 64;
const zones = new Map<string, Zone>();

/**
 * The offsets of an IANA time zone such as `Asia/Seoul`. A local time in a gap (clocks are put forward) has the offset
 * before the gap, as in luxon. A local time that occurs twice is the earlier instant.
 *
 * What is asked of the runtime, which takes about 1 µs for each offset, is cached by day: a body can have thousands of local times near a
 * change.
 * @throws RangeError when there is no such time zone
 */
export function localOffsetOf(timeZone: string): LocalOffset {
  const zone = zoneOf(timeZone);
  return (localTime) => {
    const { before, after, change } = dayOf(zone, Math.floor(localTime / DAY));
    if (localTime - before * SECOND < change) return before;
    return localTime - after * SECOND < change ? before : after;
  };
}

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    // Without another part, the date is written too, which takes twice as long.
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      timeZoneName: 'longOffset',
      weekday: 'narrow',
    });
    zone = { at: (instant) => readOffset(format.format(instant)), changes: new Map(), days: new Map() };
    if (zones.size >= MAX_CACHED_ZONES) zones.clear();
    zones.set(timeZone, zone);
  }
  return zone;
}

/** Reads an offset such as `W GMT+08:27:52`. */
function readOffset(text: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  const absolute = Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds);
  return sign === '-' ? -absolute : absolute;
}

function dayOf({ at, changes, days }: Zone, number: number): Day {
  const known = days.get(number) ?? changes.get(number);
  if (known) return known;
  // Offsets are less than a day.
  const [start, end] = [(number - 1) * DAY, (number + 2) * DAY];
  const [before, after] = [at(start), at(end)];
  const change = before === after ? Infinity : findChange(at, before, start, end);
  const day = { before, after, change };
  const cache = before === after ? days : changes;
  if (cache.size >= MAX_CACHED_DAYS) cache.clear();
  cache.set(number, day);
  return day;
}

/** The first instant after `start` and up to `end` at which the offset is not `before`: nearly always a full hour. */
function findChange(at: Zone['at'], before: number, start: number, end: number): number {
  const hour = bisect(at, before, start, end, HOUR);
  return at(hour - SECOND) === before ? hour : bisect(at, before, hour - HOUR, hour - SECOND, SECOND);
}

function bisect(at: Zone['at'], before: number, start: number, end: number, step: number): number {
  let [low, high] = [0, (end - start) / step];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (at(start + middle * step) === before) low = middle;
    else high = middle;
  }
  return start + high * step;
}

/** Formats a UTC offset in seconds as `+09:00`, or as `+08:27:52` where a historical offset has seconds. */
export function formatOffset(seconds: number): string {
  const absolute = Math.abs(seconds);
  const hours = twoDigits(Math.floor(absolute / 3600));
  const minutes = twoDigits(Math.floor(absolute / 60) % 60);
  const rest = absolute % 60;
  return `${seconds < 0 ? '-' : '+'}${hours}:${minutes}${rest === 0 ? '' : `:${twoDigits(rest)}`}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
