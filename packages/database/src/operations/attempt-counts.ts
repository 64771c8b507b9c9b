import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { quarterOf } from '../client/quarter-of.ts';

/*
 * The health of webhooks is read from counts of their attempts by quarter-hour, outcome and duration. Every minute the attempts since the
 * last count are added, for all merchants in one statement: each attempt is read once for it. An hour later a quarter-hour is counted once
 * more, for attempts that were recorded late because PostgreSQL was unavailable.
 */

/** Attempts that started this long ago are counted: a request takes at most 15 s, and nearly all are recorded at once. */
const margin = `interval '30 seconds'`;

/** A quarter-hour is counted once more this long after it has ended. */
const late = `interval '1 hour'`;

/** The span of one statement: after a time without housekeeping there are several. */
const slice = `interval '1 hour'`;

/** The limits of durations, in milliseconds; the last one is longer than any attempt. */
const limitsMs = [
  10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000,
  15_000, 30_000,
];

/** An attempt that this service aborted says nothing about the webhook, and a test event does not count. */
const count = (since: string, until: string) => `
    SELECT merchant_id, endpoint_id, ${quarterOf('started_at')} AS starts_at, coalesce(status::text, error_class, '') AS outcome,
      (ARRAY[${limitsMs.join(', ')}])[least(${limitsMs.length},
        1 + width_bucket((timings->>'totalMs')::float8, ARRAY[${limitsMs.join(', ')}]::float8[]))] AS within_ms, count(*) AS total
    FROM attempts
    WHERE started_at >= ${since} AND started_at < ${until} AND NOT test AND error_class IS DISTINCT FROM 'aborted'
    GROUP BY 1, 2, 3, 4, 5`;

/** $1: the time of the clock. */
const addSql = `
  WITH progress AS MATERIALIZED (
    SELECT counted_until AS since, least(counted_until + ${slice},
        date_trunc('minute', coalesce($1::timestamptz, clock_timestamp()) - ${margin})) AS until
    FROM attempt_progress FOR UPDATE
  ), added AS (
    INSERT INTO attempt_counts (merchant_id, endpoint_id, starts_at, outcome, within_ms, total)
    ${count('(SELECT since FROM progress)', '(SELECT until FROM progress)')}
    ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (merchant_id, endpoint_id, starts_at, outcome, within_ms) DO UPDATE
      SET total = attempt_counts.total + excluded.total
  )
  UPDATE attempt_progress SET counted_until = progress.until FROM progress WHERE progress.until > progress.since`;

/** $1: the time of the clock. Only what is counted already is counted once more. */
const recountSql = `
  WITH progress AS MATERIALIZED (
    SELECT ${quarterOf('recounted_until')} AS since, least(
        ${quarterOf('recounted_until')} + ${slice}, ${quarterOf('counted_until')},
        ${quarterOf(`coalesce($1::timestamptz, clock_timestamp()) - ${late}`)}) AS until
    FROM attempt_progress FOR UPDATE
  ), replaced AS (
    INSERT INTO attempt_counts (merchant_id, endpoint_id, starts_at, outcome, within_ms, total)
    ${count('(SELECT since FROM progress)', '(SELECT until FROM progress)')}
    ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (merchant_id, endpoint_id, starts_at, outcome, within_ms) DO UPDATE SET total = excluded.total
    WHERE attempt_counts.total <> excluded.total
  )
  UPDATE attempt_progress SET recounted_until = progress.until FROM progress WHERE progress.until > progress.since`;

/**
 * Counts the attempts since the last count, in short transactions. `now` is the time of the clock; default: that of the database.
 * @throws when PostgreSQL is unavailable
 */
export async function countAttempts(
  database: Sql,
  { now = null, signal }: { now?: Date | null; signal?: AbortSignal } = {},
): Promise<void> {
  const isStopped = () => signal?.aborted === true;
  for (const sql of [addSql, recountSql])
    for (let more = true; more && !isStopped();)
      more = await retryConflicts(() => transact(database, async (tx) => (await tx.execute(sql, [now])) > 0));
}
