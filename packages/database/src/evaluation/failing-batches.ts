import { noteAudit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { batchColumns, failuresBeforeSplit, ordersPerBatch } from './due-batches.ts';
import type { DueBatch } from './due-batches.ts';

/*
 * A batch whose evaluation fails repeatedly is halved until the order that causes it is alone; that order is parked. All
 * parked orders are found by the partial index on `failures > 0`.
 */

/** Counts a failure of a batch. Returns the number of failures; 0 when it was evaluated meanwhile. */
export async function recordFailure(
  database: Database,
  { merchantId, batchId }: Pick<DueBatch, 'merchantId' | 'batchId'>,
  error: string,
): Promise<number> {
  const [batch] = await database.query<{ failures: number }>(
    `UPDATE due_batches SET failures = failures + 1, last_error = $3, swept_at = NULL
     WHERE merchant_id = $1 AND id = $2 RETURNING failures`,
    [merchantId, batchId, error],
  );
  return batch?.failures ?? 0;
}

/** After this time, in seconds, a claimed batch can be claimed again, because its process has ended. */
const claimSeconds = 30;

/**
 * Claims the smallest failing batch of a random merchant, so that few rows are waiting. Each merchant has the same
 * chance, however many of its batches fail. $1 failures before a split, $2 seconds of a claim.
 */
const claimFailingBatchSql = `
  UPDATE due_batches SET swept_at = now()
  FROM (
    SELECT merchant_id AS claimed_merchant_id, id AS claimed_id FROM (
      SELECT DISTINCT ON (merchant_id) merchant_id, id FROM due_batches
      WHERE failures > 0 AND failures >= $1 AND parked_at IS NULL
        AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => $2::double precision))
      ORDER BY merchant_id, cardinality(order_ids)
    ) smallest
    ORDER BY random() LIMIT 1
  ) claimed
  WHERE merchant_id = claimed_merchant_id AND id = claimed_id
    AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => $2::double precision))
  RETURNING ${batchColumns}`;

/** Claims one failing batch for half a minute; undefined when there is none. */
export async function claimFailingBatch(database: Database): Promise<DueBatch | undefined> {
  const [batch] = await database.query<DueBatch>(claimFailingBatchSql, [failuresBeforeSplit, claimSeconds]);
  return batch;
}

/** Replaces a failing batch by its two halves, or parks it if it is one order. Returns whether it was parked. */
export function splitOrPark(database: Database, batch: DueBatch, error: string): Promise<boolean> {
  const isOneOrder = batch.orders <= 1;
  return retryConflicts(() =>
    transact(database, async (tx) => {
      await tx.query(isOneOrder ? parkSql : splitSql, [batch.merchantId, batch.batchId, error]);
      return isOneOrder;
    }),
  );
}

/** The requests of the orders of these versions, and those of unknown versions. */
const requestsOf = (requests: string, versions: string) => `(
      SELECT jsonb_agg(request) FROM jsonb_array_elements(${requests}) AS request
      WHERE coalesce(ARRAY[(request ->> 'version')::bigint, 0] && ${versions}, true))`;

/**
 * A half keeps the requests of its orders, and those of unknown versions. $1 merchant id, $2 batch id, $3 error.
 */
const splitSql = `
  WITH failing AS (DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING *)
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, ends_holds, due_since, failures, last_error,
    order_versions, requests)
  SELECT merchant_id, order_ids[low:high], member_ids[low:high], ends_holds, due_since, failures + 1, $3,
    order_versions[low:high], ${requestsOf('requests', 'order_versions[low:high]')}
  FROM failing, LATERAL (VALUES
    (1, cardinality(order_ids) / 2),
    (cardinality(order_ids) / 2 + 1, cardinality(order_ids))) AS half (low, high)`;

/** The versions of the orders of a row, each 0 where they are not known. */
const versionsOf = (row: string) =>
  `coalesce(${row}.order_versions, array_fill(0::bigint, ARRAY[cardinality(${row}.order_ids)]))`;

/** The versions of the orders of row `b`, with the new version of the order that is parked again. */
const versionsWithNewOne = `(
        SELECT array_agg(
          CASE WHEN parked.order_id = failing.order_ids[1] THEN (${versionsOf('failing')})[1] ELSE parked.version END
          ORDER BY parked.position)
        FROM unnest(b.order_ids, ${versionsOf('b')}) WITH ORDINALITY AS parked (order_id, version, position))`;

/**
 * Parked orders of a merchant with the same error share a row: the order is appended to one that is not full, or
 * inserted. An order that is parked again keeps its entry, with its new version and request, so that the row does not grow with
 * each try. $1 merchant id, $2 batch id, $3 error.
 */
const parkSql = `
  WITH failing AS (DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING *),
  appended AS (
    UPDATE due_batches b SET
      parked_at = clock_timestamp(),
      order_ids = CASE
        WHEN b.order_ids @> failing.order_ids THEN b.order_ids ELSE b.order_ids || failing.order_ids END,
      member_ids = CASE
        WHEN b.order_ids @> failing.order_ids THEN b.member_ids ELSE b.member_ids || failing.member_ids END,
      order_versions = CASE
        WHEN b.order_ids @> failing.order_ids THEN ${versionsWithNewOne}
        ELSE ${versionsOf('b')} || ${versionsOf('failing')} END,
      requests = CASE
        WHEN b.requests @> failing.requests THEN b.requests
        WHEN b.order_ids @> failing.order_ids
          THEN nullif(coalesce(${requestsOf('b.requests', versionsWithNewOne)}, '[]') || coalesce(failing.requests, '[]'), '[]')
        ELSE nullif(coalesce(b.requests, '[]') || coalesce(failing.requests, '[]'), '[]') END
    FROM failing
    WHERE b.merchant_id = $1 AND b.parked_at IS NOT NULL AND b.id = (
      SELECT p.id FROM due_batches p, failing
      WHERE p.merchant_id = $1 AND p.parked_at IS NOT NULL AND p.last_error = $3
        AND p.ends_holds = failing.ends_holds AND cardinality(p.order_ids) < ${ordersPerBatch} LIMIT 1)
    RETURNING 1
  )
  INSERT INTO due_batches
    (merchant_id, order_ids, member_ids, ends_holds, due_since, failures, last_error, parked_at, order_versions,
      requests)
  SELECT merchant_id, order_ids, member_ids, ends_holds, due_since, failures + 1, $3, clock_timestamp(),
    order_versions, requests
  FROM failing WHERE NOT EXISTS (SELECT 1 FROM appended)`;

/** Whether a row is as it was read: parking an order changes `parked_at`, an erasure `member_ids`. */
const isUnchanged = 'b.parked_at = remaining.read_parked_at AND b.member_ids = remaining.read_member_ids';

/**
 * Removes orders from parked rows when a decision about them was made since: about a newer version, or after the last order of the
 * row was parked. A row that another process has changed meanwhile, by parking an order in it or erasing a member, is left to
 * the next run.
 */
const unparkDecidedSql = `
  WITH remaining AS (
    SELECT b.merchant_id, b.id, b.parked_at AS read_parked_at, b.member_ids AS read_member_ids,
      array_agg(parked.order_id) FILTER (WHERE NOT decided) AS order_ids,
      array_agg(parked.member_id) FILTER (WHERE NOT decided) AS member_ids,
      array_agg(parked.version) FILTER (WHERE NOT decided) AS order_versions
    FROM due_batches b
    CROSS JOIN LATERAL unnest(b.order_ids, b.member_ids, ${versionsOf('b')}) AS parked (order_id, member_id, version)
    CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT 1 FROM decisions d
        WHERE d.merchant_id = b.merchant_id AND d.order_id = parked.order_id
          AND (d.created_at > b.parked_at OR parked.version > 0 AND d.order_version > parked.version)
      ) AS decided) e
    WHERE b.failures > 0 AND b.parked_at IS NOT NULL
    GROUP BY b.merchant_id, b.id HAVING bool_or(decided)
  ), deleted AS (
    DELETE FROM due_batches b USING remaining
    WHERE b.merchant_id = remaining.merchant_id AND b.id = remaining.id
      AND ${isUnchanged} AND remaining.order_ids IS NULL
  )
  UPDATE due_batches b SET order_ids = remaining.order_ids, member_ids = remaining.member_ids,
    order_versions = remaining.order_versions,
    requests = ${requestsOf('b.requests', 'remaining.order_versions')}
  FROM remaining
  WHERE b.merchant_id = remaining.merchant_id AND b.id = remaining.id
    AND ${isUnchanged} AND remaining.order_ids IS NOT NULL`;

/** Unparks the orders about which a decision was made since they were parked. */
export async function unparkDecided(database: Database): Promise<void> {
  await database.query(unparkDecidedSql);
}

/** Parked orders of a merchant with the same error. */
export interface ParkedOrders {
  merchantId: string;
  orders: number;
  /** Ids of some of them. */
  examples: string[];
  /** Since when the first of them has been due, ISO 8601 in UTC. */
  since: string;
  error: string;
}

/** Lists parked orders by merchant and error: at most 100 groups, oldest first. */
export function listParked(database: Database): Promise<ParkedOrders[]> {
  return database.query<ParkedOrders>(
    `SELECT merchant_id AS "merchantId", sum(cardinality(order_ids))::float8 AS orders,
       to_json((array_agg(order_ids[1:3]))[1:1]) -> 0 AS examples,
       rules.iso_utc(min(due_since)) AS since, last_error AS error
     FROM due_batches WHERE failures > 0 AND parked_at IS NOT NULL
     GROUP BY merchant_id, last_error ORDER BY min(due_since) LIMIT 100`,
  );
}

/** Counts the parked orders. */
export async function countParked(database: Database): Promise<number> {
  const [row] = await database.query<{ orders: number }>(
    `SELECT coalesce(sum(cardinality(order_ids)), 0)::float8 AS orders
     FROM due_batches WHERE failures > 0 AND parked_at IS NOT NULL`,
  );
  return row?.orders ?? 0;
}

/**
 * Makes parked orders due again, of one merchant or of all, with no failures counted. Returns the batches, to be
 * enqueued.
 */
export function retryParked(database: Database, merchantId: string | undefined): Promise<DueBatch[]> {
  return transact(database, async (tx) => {
    const due = await tx.query<DueBatch>(
      `UPDATE due_batches SET parked_at = NULL, failures = 0, last_error = NULL, swept_at = NULL,
         due_since = clock_timestamp()
       WHERE failures > 0 AND parked_at IS NOT NULL AND merchant_id = coalesce($1, merchant_id)
       RETURNING ${batchColumns}`,
      [merchantId ?? null],
    );
    noteAudit({ details: { orders: due.reduce((sum, { orders }) => sum + orders, 0) } });
    return due;
  });
}
