import { IANAZone } from 'luxon';

/** The UTC offset, in seconds, of a local time given as the milliseconds `Date.UTC` gives for its digits. */
export type LocalOffset = (localTime: number) => number;

interface Zone {
  /** The offset of an instant, in seconds. */
  at: (instant: number) => number;
  /** The offset of whole local days, as far as known. */
  days: Map<number, number>;
}

const DAY = 86_400_000;
const MAX_CACHED_DAYS = 4096;
const zones = new Map<string, Zone>();

/**
 * The offsets of an IANA time zone such as `Asia/Seoul`; throws RangeError when there is no such zone. In a gap
 * (clocks put forward) the offset from before it counts, which is the instant luxon gives. A local time that occurs
 * twice is the earlier instant (luxon's choice depends on the day on which it is asked, so it is not followed).
 *
 * Offsets are remembered by day. One that is not takes about 20 µs; `onSearch` is called before each such search.
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
    // luxon counts minutes; offsets before standard time have seconds.
    zone = { at: (instant) => Math.round(iana.offset(instant) * 60), days: new Map() };
    zones.set(timeZone, zone);
  }
  return zone;
}

function search({ at, days }: Zone, localTime: number): number {
  const day = Math.floor(localTime / DAY);
  const before = at((day - 1) * DAY);
  if (before !== at((day + 2) * DAY)) return nearChange(at, localTime);
  if (days.size >= MAX_CACHED_DAYS) days.clear();
  days.set(day, before);
  return before;
}

/** The offset of a local time within a day or so of a change of offset. */
function nearChange(at: Zone['at'], localTime: number): number {
  const before = at(localTime - DAY);
  if (at(localTime - before * 1000) === before) return before;
  const after = at(localTime + DAY);
  return at(localTime - after * 1000) === after ? after : before;
}
