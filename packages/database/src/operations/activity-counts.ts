import { setTimeout } from 'node:timers/promises';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { lockNotAvailable, sqlState, statementCancelled } from '../client/database-errors.ts';

/*
 * The home page shows what a merchant got in the last 30 days. Rows of quarter-hours that are over are counted once, and
 * the home page reads the counts and the newer rows. The span is a quarter-hour because the days of the page are those of the
 * merchant's time zone, and all zones differ from UTC by a multiple of that.
 */

/** The span of time that a row of `activity_counts` covers. */
const quarterSql = `interval '15 minutes'`;

/**
 * A quarter-hour is counted this long after it has ended, and when no transaction is left that began before its end: such
 * a transaction may still commit rows with a time in it.
 */
const marginSql = `interval '5 minutes'`;
const countableSql = `least(clock_timestamp() - ${marginSql}, (
  SELECT min(xact_start) FROM pg_stat_activity
  WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()))`;

/** Longer than the home page looks back. */
const keptSql = `interval '32 days'`;

/**
 * Quarter-hours of one transaction. More than one is due for a merchant that was never counted, or not for a long time.
 * Their number is adapted, so that a transaction of a merchant with many rows takes about as long as one of another.
 */
const quartersOfStep = { first: 1, most: 96 };
/** After a step that takes less time than this the number is doubled, after a longer one it is halved. In milliseconds. */
const stepMs = 200;
/** The time limit of a statement, in milliseconds: a worker has 8 s to end. */
const statementMs = 5_000;

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
 * Merchants with fewer uncounted orders of the last day are not counted: the counts would be as many rows as the orders,
 * and reading those of 30 days takes little time.
 */
const worthCounting = { orders: 1_000, days: 1 };

/**
 * The merchants of a page that have enough uncounted orders of the last days. Test sides are skipped, because their rows can
 * be deleted. $1 the last merchant id of the page before, $2 the time to count until, $3 number of orders, $4 number of days.
 */
const findUncountedSql = `
  WITH page AS MATERIALIZED (
    SELECT m.id, greatest(p.counted_until, $2::timestamptz - make_interval(days => $4)) AS since
    FROM merchants m LEFT JOIN activity_progress p ON p.merchant_id = m.id
    WHERE m.id > $1 AND m.mode = 'live' ORDER BY m.id LIMIT ${merchantsPerPage}
  )
  SELECT (SELECT max(id) FROM page) AS last, (SELECT count(*)::int FROM page) AS merchants,
    ARRAY(
      SELECT id FROM page WHERE EXISTS (
        SELECT 1 FROM orders
        WHERE merchant_id = page.id AND created_at >= page.since AND created_at < $2
        OFFSET $3::int - 1 LIMIT 1)
      ORDER BY id) AS uncounted`;

/**
 * Locks the progress of a merchant, unless another process is counting it, and finds the next rows to count; `since` is
 * null when there are none.
 * $1 merchant id, $2 the time to count until, $3 the most quarter-hours.
 */
const findStepSql = `
  SELECT since::text, least(since + $3::int * ${quarterSql}, $2)::text AS until,
    since + $3::int * ${quarterSql} < $2 AS more
  FROM (
    SELECT greatest(counted_until, $2::timestamptz - ${keptSql}) AS counted_until FROM activity_progress
    WHERE merchant_id = $1 FOR UPDATE SKIP LOCKED
  ) progress CROSS JOIN LATERAL (
    SELECT ${quarterOf(firstRowSql('$1', 'progress.counted_until', '$2'))} AS since OFFSET 0
  ) first`;

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
    ON CONFLICT (merchant_id, starts_at, subject, reason) DO UPDATE SET total = excluded.total
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
  /** The number of uncounted orders in the last days from which a merchant is counted. */
  least?: { orders: number; days: number };
  /** Ends the run before its next transaction. */
  signal?: AbortSignal;
  /** Called when the rows of a merchant cannot be counted; the others are. */
  onError?(merchantId: string, error: unknown): void;
}

/**
 * Counts the rows of the quarter-hours that are over, of live merchants with many orders, in short transactions; after each
 * it pauses for as long as the transaction took. Several processes may run it at the same time: a merchant that another
 * process is counting is skipped.
 * @throws when PostgreSQL is unavailable
 */
export async function countActivity(
  database: Sql,
  { now, least = worthCounting, signal, onError }: CountOptions = {},
): Promise<void> {
  const [clock] = await database.query<{ until: string }>(
    `SELECT ${quarterOf(`coalesce($1::timestamptz - ${marginSql}, ${countableSql})`)}::text AS until`,
    [now ?? null],
  );
  const until = clock?.until as string;
  const isStopped = () => signal?.aborted === true;
  let after = '';
  for (let more = true; more && !isStopped();) {
    const [page] = await database.query<{ last: string | null; merchants: number; uncounted: string[] }>(
      findUncountedSql,
      [after, until, least.orders, least.days],
    );
    for (const merchantId of page?.uncounted ?? [])
      try {
        await countMerchant(database, merchantId, until, isStopped);
      } catch (error) {
        if (!oneMerchantStates.has(sqlState(error) ?? '')) throw error;
        onError?.(merchantId, error);
      }
    after = page?.last ?? '';
    more = page?.merchants === merchantsPerPage;
  }
}

/** Errors that the rows of one merchant may cause. */
const oneMerchantStates = new Set([statementCancelled, lockNotAvailable]);

async function countMerchant(
  database: Sql,
  merchantId: string,
  until: string,
  isStopped: () => boolean,
): Promise<void> {
  let quarters = quartersOfStep.first;
  for (let more = true; more && !isStopped();) {
    const started = performance.now();
    more = await transact(database, (tx) => countStep(tx, merchantId, until, quarters));
    const ms = performance.now() - started;
    quarters = ms < stepMs ? Math.min(quartersOfStep.most, quarters * 2) : Math.ceil(quarters / 2);
    await setTimeout(ms);
  }
}

/** Counts the next rows of a merchant. Returns whether some are left. */
async function countStep(
  tx: Queryable,
  merchantId: string,
  until: string,
  quarters: number,
): Promise<boolean> {
  await tx.query(`SELECT set_config('statement_timeout', '${statementMs}ms', true)`);
  const findStep = () =>
    tx.query<{ since: string | null; until: string; more: boolean }>(findStepSql, [
      merchantId,
      until,
      quarters,
    ]);
  let [step] = await findStep();
  if (!step) {
    // Without a row it was never counted; with one, another process is counting it.
    const inserted = await tx.execute(
      `INSERT INTO activity_progress (merchant_id, counted_until)
       SELECT $1, $2::timestamptz - ${keptSql}
       WHERE NOT EXISTS (SELECT 1 FROM activity_progress WHERE merchant_id = $1)
       ON CONFLICT (merchant_id) DO NOTHING`,
      [merchantId, until],
    );
    if (inserted === 0) return false;
    [step] = await findStep();
  }
  if (!step?.since) return false;
  await tx.execute(countSql, [merchantId, step.since, step.until]);
  return step.more;
}
