import { inUtc, instantOf, readOrderTime } from '../fields/date-time.ts';
import type { FieldErrorCode } from '../fields/field-errors.ts';

/** Why a value of `updated_at` counts as absent, with a warning: shops may have sent such a field before it had a meaning. */
export interface IgnoredTime {
  readonly ignored: Extract<FieldErrorCode, 'never_set' | 'time_without_offset' | 'unreadable_time'>;
}

/**
 * Reads `updated_at` of an order: when the merchant changed it to this state. Null when it is absent or null. It needs an offset: a shop
 * in Seoul that sends UTC without "Z" would lose what it sent in the nine hours before.
 */
export function readUpdatedAt(value: unknown): string | null | IgnoredTime {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return { ignored: 'unreadable_time' };
  const read = readOrderTime(value, undefined);
  if (typeof read === 'string') return read;
  if (read.problem === 'date_time_never_set') return { ignored: 'never_set' };
  return { ignored: read.problem === 'date_time_offset_missing' ? 'time_without_offset' : 'unreadable_time' };
}

/**
 * Whether a state of an order replaces another one of the same request, which was sent before it. If both have `updated_at`, the later one
 * counts as written, and no clock is read. A state without it has the time of its acceptance, as for the stored state, and a time counts
 * up to the acceptance.
 */
export function replacesEarlier(
  updatedAt: string | null,
  earlier: string | null,
  acceptedAt: number,
): boolean {
  if (updatedAt === null) return true;
  return inUtc(updatedAt) >= (earlier === null ? instantOf(new Date(acceptedAt)) : inUtc(earlier));
}
