/*
 * Timestamps of orders, referrals and rewards are ISO 8601 in UTC with microseconds. JavaScript's Date has milliseconds
 * only, so they are compared as text.
 */

/** Whether one timestamp is before another. A year of five digits, which a time zone can produce, is the later. */
export function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

const dayMs = 86_400_000;

/** The timestamp that is some days later; fractions of a day are rounded to milliseconds. */
export function daysAfter(time: string, days: number): string {
  const later = new Date(Date.parse(time) + Math.round(days * dayMs)).toISOString();
  // The microseconds below the milliseconds stay as they are.
  return `${later.slice(0, -1)}${time.slice(-4)}`;
}

/** The later of two timestamps; the first when the other is null. */
export function laterOf(one: string, other: string | null): string {
  return other !== null && isBefore(one, other) ? other : one;
}
