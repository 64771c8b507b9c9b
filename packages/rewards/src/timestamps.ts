/*
 * Timestamps of orders, referrals and rewards are ISO 8601 in UTC with microseconds. JavaScript's Date has milliseconds
 * only, so they are compared as text.
 */

/** Whether one timestamp is before another. A year of five digits, which a time zone can produce, is the later. */
export function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : one.length < other.length;
}

/** The later of two timestamps; the first when the other is null. */
export function laterOf(one: string, other: string | null): string {
  return other !== null && isBefore(one, other) ? other : one;
}
