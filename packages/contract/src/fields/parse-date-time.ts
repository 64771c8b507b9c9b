import { readDateTime } from './date-time.ts';
import { fieldError } from './field-errors.ts';
import type { FieldError } from './field-errors.ts';

/**
 * Parses an ISO 8601 date-time with its offset by the rules of the order fields: it exists in the calendar and
 * PostgreSQL can store it.
 */
export function parseDateTime(text: string): Date | FieldError {
  const read = readDateTime(text, undefined);
  if (typeof read !== 'string') return fieldError(read.problem);
  // `Date` knows no offset without minutes, and none without a colon.
  return new Date(
    read.replace(/([+-]\d\d):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`),
  );
}
