import { setTimeout } from 'node:timers/promises';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';

/*
 * The home page shows what a merchant got in the last 30 days. Rows of quarter-hours that are over are counted once, and
 * the home page reads the counts and only the rows since. Quarter-hours, because the days of the page are those of the
 * merchant's time zone, and all zones differ from UTC by a multiple of that.
 */

/** How much of it a row of `activity_counts` covers. */
const quarterSql = `interval '15 minutes'`;

/**
 * Rows are counted this long after their quarter-hour: a transaction that sets their time at its beginning ends before,
 * because it takes no longer than the time limits of a connection.
 */
const marginSql = `interval '5 minutes'`;

/** Longer than the home page looks back. */
const keptSql = `interval '32 days'`;

/** The most that one transaction counts: rows of a merchant that was never counted, or not for long. */
const stepSql = `interval '6 hours'`;

/** The start of the quarter-hour of a time. */
const quarterOf = (time: string) => `date_bin(${quarterSql}, ${time}, timestamptz 'epoch')`;

/** Merchants that one statement looks at. */
const merchantsPerPage = 1_000;

const countedTables = ['orders', 'deliveries', 'decisions'];

/** The time of the first row of a merchant in a span; null without one. The parameters are SQL expressions. */
const firstRowSql = (merchantId: string, since: string, until: string) =>
  `least(${countedTables
    .map(
      (table) => `
        (SELECT min(created_at) FROM ${table}
         WHERE merchant_id = ${merchantId} AND created_at >= ${since} AND created_at < ${until})`,
    )
    .join(',')})`;

/**
 * The merchants of a page that have rows to count. Without those of test sides: their rows can be deleted, and they
 * have few. $1 the last merchant id of the page before, $2 the time to count until.
 */
const findUncountedSql = `
  WITH page AS MATERIALIZED (
    SELECT m.id, coalesce(p.counted_until, $2::timestamptz - ${keptSql}) AS counted_until
    FROM merchants m LEFT JOIN activity_progress p ON p.merchant_id = m.id
    WHERE m.id > $1 AND m.mode = 'live' ORDER BY m.id LIMIT ${merchantsPerPage}
  )
  SELECT (SELECT max(id) FROM page) AS last, (SELECT count(*)::int FROM page) AS merchants,
    ARRAY(
      SELECT id FROM page WHERE ${firstRowSql('page.id', 'page.counted_until', '$2')} IS NOT NULL ORDER BY id) AS uncounted`;

/**
 * Locks the progress of a merchant, unless another process is counting it, and finds the next rows to count.
 * $1 merchant id, $2 the time to count until.
 */
const findStepSql = `
  SELECT since::text, least(since + ${stepSql}, $2)::text AS until, since + ${stepSql} < $2 AS more
  FROM (
    SELECT greatest(counted_until, $2::timestamptz - ${keptSql}) AS counted_until FROM activity_progress
    WHERE merchant_id = $1 FOR UPDATE SKIP LOCKED
  ) progress CROSS JOIN LATERAL (
    SELECT ${quarterOf(firstRowSql('$1', 'progress.counted_until', '$2'))} AS since OFFSET 0
  ) first
  WHERE since IS NOT NULL`;

/**
 * Counts the rows of a merchant from $2 until $3, which are starts of quarter-hours, and deletes old counts. An order
 * counts by its newest decision only, so those that newer ones superseded are subtracted where they were counted.
 */
const countSql = `
  WITH newest AS (
    SELECT DISTINCT ON (order_id) order_id, reason, created_at FROM decisions
    WHERE merchant_id = $1 AND created_at >= $2 AND created_at < $3
    ORDER BY order_id, number DESC
  ), counted AS (
    SELECT 'order' AS subject, '' AS reason, ${quarterOf('created_at')} AS starts_at, count(*) AS total
    FROM orders WHERE merchant_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY 3
    UNION ALL
    SELECT 'delivery', '', ${quarterOf('created_at')}, count(*)
    FROM deliveries WHERE merchant_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY 3
    UNION ALL
    SELECT 'decision', reason, ${quarterOf('created_at')}, count(*) FROM newest GROUP BY 2, 3
  ), inserted AS (
    INSERT INTO activity_counts (merchant_id, starts_at, subject, reason, total)
    SELECT $1, starts_at, subject, reason, total FROM counted
  ), superseded AS (
    SELECT d.reason, ${quarterOf('d.created_at')} AS starts_at, count(*) AS total
    FROM (
      SELECT order_id, min(number) AS number FROM decisions
      WHERE merchant_id = $1 AND created_at >= $2 AND created_at < $3
      GROUP BY order_id HAVING min(number) > 1
    ) first CROSS JOIN LATERAL (${decisionBefore('first')}) d
    WHERE d.created_at < $2
    GROUP BY 1, 2
  ), subtracted AS (
    UPDATE activity_counts c SET total = c.total - s.total FROM superseded s
    WHERE c.merchant_id = $1 AND c.starts_at = s.starts_at AND c.subject = 'decision' AND c.reason = s.reason
  ), deleted AS (
    DELETE FROM activity_counts WHERE merchant_id = $1 AND starts_at < $3::timestamptz - ${keptSql}
  )
  UPDATE activity_progress SET counted_until = $3 WHERE merchant_id = $1`;

/** Finds the last decision of an order before another one: of `row.order_id`, before `row.number`. $1 is the merchant. */
export function decisionBefore(row: string): string {
  return `
      SELECT reason, created_at FROM decisions
      WHERE merchant_id = $1 AND order_id = ${row}.order_id AND number < ${row}.number
      ORDER BY number DESC LIMIT 1`;
}

/** Subtracts deleted deliveries from the counts. `deleted` is the name of a query with their `merchant_id` and `created_at`. */
export const uncountDeliveries = (deleted: string) => `
    UPDATE activity_counts c SET total = c.total - d.total
    FROM (
      SELECT merchant_id, ${quarterOf('created_at')} AS starts_at, count(*) AS total FROM ${deleted} GROUP BY 1, 2
    ) d
    WHERE c.merchant_id = d.merchant_id AND c.starts_at = d.starts_at AND c.subject = 'delivery' AND c.reason = ''`;

export interface CountOptions {
  /** Counts the quarter-hours that were over at this time; default: the clock of the database. */
  now?: Date;
  /** Ends the run before its next transaction. */
  signal?: AbortSignal;
}

/**
 * Counts the rows of the quarter-hours that are over, of all live merchants, in short transactions; after each it pauses
 * for as long as the transaction took. Several processes may run it at the same time. Returns the number of merchants
 * of which it counted rows.
 */
export async function countActivity(database: Database, { now, signal }: CountOptions = {}): Promise<number> {
  const [clock] = await database.query<{ until: string }>(
    `SELECT ${quarterOf(`coalesce($1::timestamptz, clock_timestamp()) - ${marginSql}`)}::text AS until`,
    [now ?? null],
  );
  const until = clock?.until as string;
  let merchants = 0;
  for await (const merchantId of listUncounted(database, until))
    for (let more = true; more;) {
      if (signal?.aborted) return merchants;
      const started = performance.now();
      more = await transact(database, (tx) => countStep(tx, merchantId, until));
      if (!more) merchants += 1;
      await setTimeout(performance.now() - started, undefined, signal ? { signal } : {}).catch(
        () => undefined,
      );
    }
  return merchants;
}

async function* listUncounted(database: Queryable, until: string): AsyncGenerator<string> {
  let after = '';
  for (let more = true; more;) {
    const [page] = await database.query<{ last: string | null; merchants: number; uncounted: string[] }>(
      findUncountedSql,
      [after, until],
    );
    if (!page?.last) return;
    yield* page.uncounted;
    after = page.last;
    more = page.merchants === merchantsPerPage;
  }
}

/** Counts the next rows of a merchant. Returns whether some are left. */
async function countStep(tx: Queryable, merchantId: string, until: string): Promise<boolean> {
  await tx.execute(
    `INSERT INTO activity_progress (merchant_id, counted_until) VALUES ($1, $2::timestamptz - ${keptSql})
     ON CONFLICT (merchant_id) DO NOTHING`,
    [merchantId, until],
  );
  const [step] = await tx.query<{ since: string; until: string; more: boolean }>(findStepSql, [
    merchantId,
    until,
  ]);
  if (!step) return false;
  await tx.execute(countSql, [merchantId, step.since, step.until]);
  return step.more;
}
