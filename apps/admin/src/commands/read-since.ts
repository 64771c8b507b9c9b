import { startOfDay } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { UsageError } from '../command.ts';

const dateForm = /^\d{4}-\d\d-\d\d$/;
const dateTimeForm = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)$/;

/** A moment: a day, which begins at midnight of the merchant's time zone, or a date-time with its offset. @throws UsageError */
export async function readSince(
  database: Database,
  merchantId: string,
  text: string | undefined,
  option = '--since',
): Promise<Date | null> {
  if (text === undefined) return null;
  const wrong = new UsageError(
    `${option} is a date such as 2026-11-21 or 2026-11-21T09:00:00+09:00, not ${text}.`,
  );
  const day = dateForm.test(text) ? text : dateTimeForm.exec(text)?.[1];
  if (day === undefined || !isInCalendar(day)) throw wrong;
  if (day === text) return (await startOfDay(database, merchantId, day)) ?? null;
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw wrong;
  return at;
}

/** `Date` takes the 30th of February for the 2nd of March. */
function isInCalendar(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day) && at.getUTCFullYear() >= 1900;
}
