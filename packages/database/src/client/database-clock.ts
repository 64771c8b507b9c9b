import { withMicroseconds } from './timestamps.ts';
import type { Transaction } from './client.ts';

/**
 * Reads the database's clock, in milliseconds. A time that decides something comes from here, once a transaction: the clock
 * of the process may be wrong. After a lock it is not earlier than what the transaction has waited for.
 */
export async function readTime(prisma: Transaction): Promise<Date> {
  const [row] = await prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  if (!row) throw new Error('the database returned no time');
  return row.now;
}

/** The time that follows another one after some seconds. */
export const secondsAfter = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1_000);

/** ISO 8601 in UTC with microseconds, the form of `rules.iso_utc`. A date has milliseconds: the last digits are zero. */
export const isoOf = (time: Date): string => withMicroseconds(time.toISOString().slice(0, -1));
