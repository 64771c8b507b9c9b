import { readDateTime } from '../fields/date-time.ts';
import type { LocalOffset } from '../fields/time-zone.ts';

/** Why a value is no time of a change: it counts as absent, with a warning, since shops may have sent such a field before it had a meaning. */
export const unreadableTime = Symbol('unreadable time');

/**
 * Reads `updated_at` of an order: when the merchant changed it to this state. Null when it is absent or null; {@link unreadableTime} for
 * any value that is no date-time.
 */
export function readUpdatedAt(
  value: unknown,
  localOffset: LocalOffset | undefined,
): string | null | typeof unreadableTime {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return unreadableTime;
  const read = readDateTime(value, localOffset);
  return typeof read === 'string' ? read : unreadableTime;
}

/**
 * Whether a state of an order replaces another one of the same request, which was sent before it: unless its `updated_at` is older. As for
 * the stored state, a time counts up to the acceptance of the request, and a state without one has this time.
 */
export function replacesEarlier(
  updatedAt: string | null,
  earlier: string | null,
  acceptedAt: number,
): boolean {
  return timeOf(updatedAt, acceptedAt) >= timeOf(earlier, acceptedAt);
}

/** In microseconds: JavaScript's Date leaves out the digits below milliseconds. */
function timeOf(updatedAt: string | null, acceptedAt: number): number {
  if (updatedAt === null) return acceptedAt * 1_000;
  const digits = /\.(\d+)/.exec(updatedAt)?.[1] ?? '';
  const below = Number(digits.slice(3, 6).padEnd(3, '0'));
  return Math.min(Date.parse(updatedAt) * 1_000 + below, acceptedAt * 1_000);
}
