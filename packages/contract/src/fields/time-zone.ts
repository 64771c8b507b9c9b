import { IANAZone } from 'luxon';

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

interface Zone {
  /** The offset at an instant, in seconds. */
  at: (instant: number) => number;
  /** Cache of the offsets of local days on which the offset does not change. */
  days: Map<number, number>;
}

const DAY = 86_400_000;
const MAX_CACHED_DAYS = 4096;
const zones = new Map<string, Zone>();

/**
 * The offsets of an IANA time zone such as `Asia/Seoul`. A local time in a gap (clocks are put forward) has the offset
 * before the gap, as in luxon. A local time that occurs twice is the earlier instant; luxon's choice depends on the
 * current date.
 *
 * Offsets are cached by day. `onSearch` is called before an offset is searched for, which takes about 20 µs.
 * @throws RangeError when there is no such time zone
 */
export function localOffsetOf(timeZone: string, onSearch: () => void = () => {}): LocalOffset {
  const zone = zoneOf(timeZone);
  return (localTime) => {
    const known = zone.days.get(Math.floor(localTime / DAY));
    if (known !== undefined) return known;
    onSearch();
    return search(zone, localTime);
  };
}

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    if (!IANAZone.isValidZone(timeZone)) throw new RangeError(`Unknown time zone: ${timeZone}`);
    const iana = IANAZone.create(timeZone);
    // luxon gives minutes. Offsets from before standard time have seconds.
    zone = { at: (instant) => Math.round(iana.offset(instant) * 60), days: new Map() };
    zones.set(timeZone, zone);
  }
  return zone;
}

function search({ at, days }: Zone, localTime: number): number {
  const day = Math.floor(localTime / DAY);
  const before = at((day - 1) * DAY);
  if (before !== at((day + 2) * DAY)) return offsetNearChange(at, localTime);
  if (days.size >= MAX_CACHED_DAYS) days.clear();
  days.set(day, before);
  return before;
}

/** The offset at a local time within a day or two of a change of the offset. */
function offsetNearChange(at: Zone['at'], localTime: number): number {
  const before = at(localTime - DAY);
  if (at(localTime - before * 1000) === before) return before;
  const after = at(localTime + DAY);
  return at(localTime - after * 1000) === after ? after : before;
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
