import type { Sql } from './client.ts';
import { isoUtc, rawUtc } from './iso-utc.ts';

/**
 * What the clock of the database says at this moment, as ISO 8601 in UTC. `now()` would be the start of the transaction: one
 * that has waited for a lock would write an earlier time than what it waited for.
 */
export async function readClock(tx: Sql): Promise<string> {
  const [row] = await tx.query<{ now: string }>(`SELECT ${rawUtc('clock_timestamp()')} AS now`, []);
  if (!row) throw new Error('the database told no time');
  return isoUtc(row.now);
}

/** A time as the body of an event tells it: with milliseconds. */
export function eventTime(at: string): string {
  return `${at.slice(0, at.indexOf('.') + 4)}Z`;
}
