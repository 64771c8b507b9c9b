import { describeFieldError, parseDateTime } from '@rewardhook/contract';
import { startOfDay } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { UsageError } from '../command.ts';

const dateForm = /^\d{4}-\d\d-\d\d$/;

/** A moment: a day, which begins at midnight of the merchant's time zone, or a date-time with its offset. @throws UsageError */
export async function readSince(
  database: Database,
  merchantId: string,
  text: string | undefined,
  option = '--since',
): Promise<Date | null> {
  if (text === undefined) return null;
  const isDay = dateForm.test(text);
  const at = parseDateTime(isDay ? `${text}T00:00:00Z` : text);
  if (!(at instanceof Date))
    throw new UsageError(
      `${option} is a date such as 2026-11-21 or 2026-11-21T09:00:00+09:00, not ${text}: it ${describeFieldError(at)}.`,
    );
  return isDay ? ((await startOfDay(database, merchantId, text)) ?? null) : at;
}
