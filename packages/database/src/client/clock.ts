import type { Sql } from './client.ts';
import { isoUtc, rawUtc } from './timestamps.ts';

/**
 * The time by the clock of the database, as ISO 8601 in UTC. `now()` would be the start of the transaction: one
 * that has waited for a lock would write an earlier time than what it waited for.
 */
export async function readClock(tx: Sql): Promise<string> {
  const [row] = await tx.query<{ now: string }>(`SELECT ${rawUtc('clock_timestamp()')} AS now`, []);
  if (!row) throw new Error('the database returned no time');
  return isoUtc(row.now);
}

/** A time in the form that the bodies of events have: with milliseconds. */
export function eventTime(at: string): string {
  return `${at.slice(0, at.indexOf('.') + 4)}Z`;
}
