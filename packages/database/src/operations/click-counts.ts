import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { quarterOf } from '../client/quarter-of.ts';

/*
 * Clicks on share links are counted by quarter-hour, for all merchants, and the counts outlive the clicks: those are deleted after the
 * attribution windows. Clicks of a time are found by a BRIN index, since they are inserted in the order of their times.
 */

/** A quarter-hour is counted this long after it has ended: transactions with a time in it have ended by then. */
const margin = `interval '5 minutes'`;

/** What is counted again each time: a transaction that took longer than the margin. */
const recounted = `interval '1 hour'`;

/** The span of one statement: after a time without housekeeping there are several. */
const slice = `interval '6 hours'`;

/** $1: the time until which quarter-hours must be over. */
const countSliceSql = `
  WITH progress AS MATERIALIZED (
    SELECT counted_until AS since,
      least(${quarterOf('counted_until')} + ${slice}, ${quarterOf(`coalesce($1, clock_timestamp()) - ${margin}`)}) AS until
    FROM click_progress FOR UPDATE
  ), counted AS (
    INSERT INTO click_counts (merchant_id, starts_at, total)
    SELECT merchant_id, ${quarterOf('clicked_at')}, count(*) FROM clicks
    WHERE clicked_at >= (SELECT ${quarterOf('since')} - ${recounted} FROM progress) AND clicked_at < (SELECT until FROM progress)
    GROUP BY 1, 2
    ON CONFLICT (merchant_id, starts_at) DO UPDATE SET total = excluded.total
    WHERE click_counts.total <> excluded.total
  )
  UPDATE click_progress SET counted_until = progress.until FROM progress WHERE progress.until > progress.since`;

/**
 * Counts the clicks of the quarter-hours that are over, in short transactions. `now` is the time at which they are over; default: the
 * clock of the database.
 * @throws when PostgreSQL is unavailable
 */
export async function countClicks(
  database: Sql,
  { now = null, signal }: { now?: Date | null; signal?: AbortSignal } = {},
): Promise<void> {
  const isStopped = () => signal?.aborted === true;
  for (let more = true; more && !isStopped();)
    more = await retryConflicts(() =>
      transact(database, async (tx) => (await tx.execute(countSliceSql, [now])) > 0),
    );
}
