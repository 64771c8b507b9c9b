import { readDateTime } from './date-time.ts';
import { messages } from './messages.ts';

/**
 * Reads an ISO 8601 date-time with its offset, under the rules of the order fields: it exists in the calendar, and
 * PostgreSQL can store it. Returns the message of a field error for what it refuses.
 */
export function parseDateTime(text: string): Date | string {
  const read = readDateTime(text, undefined);
  if (typeof read !== 'string') return messages[read.problem as keyof typeof messages];
  // `Date` knows no offset without minutes, and none without a colon.
  return new Date(
    read.replace(/([+-]\d\d):?(\d\d)?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`),
  );
}
