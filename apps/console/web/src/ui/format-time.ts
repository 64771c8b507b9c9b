const formats = new Map<string, Intl.DateTimeFormat>();

function dateParts(at: Date, timezone: string): Record<string, string> {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZoneName: 'longOffset',
    });
    formats.set(timezone, format);
  }
  return Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
}

/** The offset of a zone at a time, such as `+09:00`. */
export function offsetOf(at: Date, timezone: string): string {
  return dateParts(at, timezone)['timeZoneName']?.replace('GMT', '') || '+00:00';
}

/** `2026-11-21 12:34:56 +09:00` */
export function exactTime(at: string, timezone: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const { year, month, day, hour, minute, second } = dateParts(date, timezone);
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${offsetOf(date, timezone)}`;
}

const shownFormats = new Map<string, Intl.DateTimeFormat>();

/** `21 Nov, 12:34`, `11월 21일 12:34`; with the year when it is not the one of `now`. */
export function shownTime(at: string, { timezone, language, now }: ShownIn): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const isThisYear = dateParts(date, timezone)['year'] === dateParts(new Date(now), timezone)['year'];
  const key = `${timezone} ${language} ${isThisYear}`;
  let format = shownFormats.get(key);
  if (!format) {
    format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      timeZone: timezone,
      hourCycle: 'h23',
      ...(isThisYear ? {} : { year: 'numeric' }),
      month: 'short',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
    });
    shownFormats.set(key, format);
  }
  return format.format(date);
}

/** How a time is shown. */
interface ShownIn {
  timezone: string;
  language: string;
  /** In ms. */
  now: number;
}

/** The start of a day (`2026-11-21`) in a zone, plus a number of days, as ISO 8601 in UTC. */
export function startOfDay(day: string, timezone: string, plusDays = 0): string {
  const utc = new Date(`${day}T00:00:00Z`).getTime() + plusDays * 86_400_000;
  // The offset at a nearby time. It is wrong only if the zone changes its offset in between.
  const near = new Date(`${new Date(utc).toISOString().slice(0, 19)}${offsetOf(new Date(utc), timezone)}`);
  const exact = `${new Date(utc).toISOString().slice(0, 19)}${offsetOf(near, timezone)}`;
  return new Date(exact).toISOString();
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const relativeFormats = new Map<string, Intl.RelativeTimeFormat>();

/** "3 minutes ago", "in 2 hours". */
export function relativeTime(at: string, now: number, language: string): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
  let format = relativeFormats.get(language);
  if (!format) {
    format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
    relativeFormats.set(language, format);
  }
  return format.format(Math.trunc(seconds / size), unit);
}
