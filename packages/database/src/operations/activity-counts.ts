import { setTimeout } from 'node:timers/promises';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { lockNotAvailable, retryConflicts, sqlState, statementCancelled } from '../client/database-errors.ts';

/*
 * The home page shows what a merchant got in the last 30 days: it reads the counts of quarter-hours that are over, and counts
 * newer rows itself. The span is a quarter-hour because the days of the page are those of the merchant's time zone, and all
 * zones differ from UTC by a multiple of that. Once an hour, the last two days are counted again, and older quarter-hours with a
 * decision that a later one of its order has superseded.
 */

/** The start of the quarter-hour of a time. */
export const quarterOf = (time: string) => `date_bin(interval '15 minutes', ${time}, timestamptz 'epoch')`;

/** What is counted again each time. */
const recounted = `interval '2 days'`;

/** A quarter-hour is counted this long after it has ended: nearly all transactions with a time in it have ended by then. */
const margin = `interval '5 minutes'`;

/** Longer than the home page looks back. */
const kept = `interval '32 days'`;

/** The span of one statement, in hours. */
const sliceHours = 6;
/** The time limit of a statement, in milliseconds: a worker has 8 s to end. */
const statementMs = 5_000;

/** Merchants that one statement looks at. */
const merchantsPerPage = 1_000;

/**
 * Merchants with fewer orders in the last day are not counted: the counts would be as many rows as the orders, and reading
 * those of 30 days takes little time. A merchant that has counts is counted on.
 */
const worthCounting = { orders: 1_000, days: 1 };

/**
 * The merchants of a page that are to be counted. Test sides are skipped, because they have few rows. $1 the last merchant id
 * of the page before, $2 the time to count until, $3 number of orders, $4 number of days.
 */
const findMerchantsSql = `
  WITH page AS MATERIALIZED (
    SELECT m.id, p.counted_until FROM merchants m LEFT JOIN activity_progress p ON p.merchant_id = m.id
    WHERE m.id > $1 AND m.mode = 'live' ORDER BY m.id LIMIT ${merchantsPerPage}
  )
  SELECT (SELECT max(id) FROM page) AS last, (SELECT count(*)::int FROM page) AS merchants,
    ARRAY(
      SELECT id FROM page WHERE counted_until IS NOT NULL OR EXISTS (
        SELECT 1 FROM orders
        WHERE merchant_id = page.id AND created_at >= $2::timestamptz - make_interval(days => $4) AND created_at < $2
        OFFSET $3::int - 1 LIMIT 1)
      ORDER BY id) AS chosen`;

/**
 * The slices to count, oldest first: the last days, and before them the quarter-hours with decisions that were superseded since an
 * hour before the last count. $1 merchant id, $2 the time to count until.
 */
const listSlicesSql = `
  WITH progress AS MATERIALIZED (
    SELECT counted_until, greatest(counted_until - ${recounted}, $2::timestamptz - ${kept}) AS since
    FROM (SELECT $1 AS id OFFSET 0) merchant LEFT JOIN activity_progress p ON p.merchant_id = id
  )
  SELECT since::text, until::text FROM (
    SELECT slice AS since, least(slice + make_interval(hours => ${sliceHours}), $2) AS until
    FROM progress, generate_series(since, $2::timestamptz, make_interval(hours => ${sliceHours})) AS slice
    WHERE slice < $2
    UNION
    SELECT ${quarterOf('d.created_at')}, ${quarterOf('d.created_at')} + interval '15 minutes'
    FROM progress p, decisions later CROSS JOIN LATERAL (
      SELECT created_at FROM decisions
      WHERE merchant_id = $1 AND order_id = later.order_id AND number = later.number - 1 OFFSET 0) d
    WHERE later.merchant_id = $1 AND later.number > 1
      AND later.created_at >= p.counted_until - interval '1 hour' AND later.created_at < $2
      AND d.created_at >= $2::timestamptz - ${kept} AND d.created_at < p.since
  ) slices
  ORDER BY slices.since`;

/**
 * Counts the rows of a merchant from $2 until $3, which are starts of quarter-hours: of the decisions of an order the newest one.
 * Decisions from $4 on are not seen. There are counts already when another process counts them at the same time. `OFFSET 0`: a
 * later decision is found by its key.
 */
const countSliceSql = `
  INSERT INTO activity_counts (merchant_id, starts_at, subject, reason, total)
  SELECT $1, ${quarterOf('created_at')}, 'order', '', count(*)
  FROM orders WHERE merchant_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY 2
  UNION ALL
  SELECT $1, ${quarterOf('created_at')}, 'delivery', '', count(*)
  FROM deliveries WHERE merchant_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY 2
  UNION ALL
  SELECT $1, ${quarterOf('d.created_at')}, 'decision', d.reason, count(*)
  FROM decisions d
  WHERE d.merchant_id = $1 AND d.created_at >= $2 AND d.created_at < $3
    AND NOT EXISTS (
      SELECT 1 FROM decisions later
      WHERE later.merchant_id = $1 AND later.order_id = d.order_id AND later.number = d.number + 1
        AND later.created_at < $4
      OFFSET 0)
  GROUP BY 2, 4
  ON CONFLICT (merchant_id, starts_at, subject, reason) DO UPDATE SET total = excluded.total`;

export interface CountOptions {
  /** Counts the quarter-hours that were over at this time; default: the clock of the database. */
  now?: Date;
  /** The number of orders in the last days from which a merchant is counted. */
  least?: { orders: number; days: number };
  /** Ends the run before its next transaction. */
  signal?: AbortSignal;
  /** Called when the rows of a merchant cannot be counted; the others are. */
  onError?(merchantId: string, error: unknown): void;
}

/**
 * Counts the rows of the quarter-hours that are over, of live merchants with many orders, in short transactions; after each
 * it pauses for as long as the transaction took.
 * @throws when PostgreSQL is unavailable
 */
export async function countActivity(
  database: Sql,
  { now, least = worthCounting, signal, onError }: CountOptions = {},
): Promise<void> {
  const [clock] = await database.query<{ until: string }>(
    `SELECT ${quarterOf(`coalesce($1::timestamptz, clock_timestamp()) - ${margin}`)}::text AS until`,
    [now ?? null],
  );
  const until = clock?.until as string;
  let after = '';
  const isStopped = () => signal?.aborted === true;
  for (let more = true; more && !isStopped();) {
    const [page] = await database.query<{ last: string | null; merchants: number; chosen: string[] }>(
      findMerchantsSql,
      [after, until, least.orders, least.days],
    );
    for (const merchantId of page?.chosen ?? [])
      try {
        await countMerchant(database, merchantId, until, signal);
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

/** Counts the last two days of a merchant and what is not counted yet. A run that ends early is repeated by the next one. */
async function countMerchant(
  database: Sql,
  merchantId: string,
  until: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const slices = await database.query<{ since: string; until: string }>(listSlicesSql, [merchantId, until]);
  for (const slice of slices) {
    if (signal?.aborted) return;
    const started = performance.now();
    await retryConflicts(() => transact(database, (tx) => countSlice(tx, merchantId, slice, until)));
    await setTimeout(performance.now() - started);
  }
  await database.execute(
    `INSERT INTO activity_progress AS p (merchant_id, counted_until) VALUES ($1, $2)
     ON CONFLICT (merchant_id) DO UPDATE SET counted_until = greatest(p.counted_until, excluded.counted_until)`,
    [merchantId, until],
  );
  await database.execute(
    `DELETE FROM activity_counts WHERE merchant_id = $1 AND starts_at < $2::timestamptz - ${kept}`,
    [merchantId, until],
  );
}

async function countSlice(
  tx: Queryable,
  merchantId: string,
  { since, until: end }: { since: string; until: string },
  until: string,
): Promise<void> {
  await tx.query(`SELECT set_config('statement_timeout', '${statementMs}ms', true)`);
  await tx.execute(
    'DELETE FROM activity_counts WHERE merchant_id = $1 AND starts_at >= $2 AND starts_at < $3',
    [merchantId, since, end],
  );
  await tx.execute(countSliceSql, [merchantId, since, end, until]);
}
