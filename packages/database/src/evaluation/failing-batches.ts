import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { batchOf, ordersPerBatch } from './due-batches.ts';
import type { DueBatch, DueRow } from './due-batches.ts';

/** Failures, transient ones not counted, after which a batch gets no more jobs: it is split, or parked if it is one order. */
export const failuresBeforeSplit = 3;

/** Counts a failure of a batch. Returns how many there were; 0 when it was evaluated meanwhile. */
export async function recordFailure(
  database: Database,
  { merchantId, batchId }: Pick<DueBatch, 'merchantId' | 'batchId'>,
  error: string,
): Promise<number> {
  const [row] = await database.query<{ failures: number }>(
    `UPDATE due_batches SET failures = failures + 1, last_error = $3, swept_at = NULL
     WHERE merchant_id = $1 AND id = $2 RETURNING failures`,
    [merchantId, batchId, error],
  );
  return row?.failures ?? 0;
}

/** A batch that is taken for longer than this, in seconds, is taken again: its process was killed. */
const takenSeconds = 30;

/**
 * Takes one of the batches that fail, so that no other process takes it for the next half minute. Each merchant has the
 * same chance, however many of its batches fail, and the smallest comes first, so that rows stay few.
 */
export async function claimFailingBatch(database: Database): Promise<DueBatch | undefined> {
  const [row] = await database.query<DueRow>(
    `UPDATE due_batches due SET swept_at = now()
     FROM (
       SELECT merchant_id, id FROM (
         SELECT DISTINCT ON (merchant_id) merchant_id, id FROM due_batches
         WHERE failures > 0 AND failures >= $1 AND parked_at IS NULL
           AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => $2::double precision))
         ORDER BY merchant_id, cardinality(order_ids)
       ) smallest ORDER BY random() LIMIT 1
     ) one
     WHERE due.merchant_id = one.merchant_id AND due.id = one.id
       AND (due.swept_at IS NULL OR due.swept_at < now() - make_interval(secs => $2::double precision))
     RETURNING due.merchant_id, due.id, cardinality(due.order_ids) AS orders`,
    [failuresBeforeSplit, takenSeconds],
  );
  return row && batchOf(row);
}

/** Replaces a batch that fails by its two halves, or parks it if it is one order. Returns whether it was parked. */
export function splitOrPark(database: Database, batch: DueBatch, error: string): Promise<boolean> {
  const statement = batch.orders > 1 ? splitSql : parkSql;
  return retryConflicts(() =>
    transact(database, async (tx) => {
      await tx.query(statement, [batch.merchantId, batch.batchId, error]);
      return batch.orders <= 1;
    }),
  );
}

const splitSql = `
  WITH whole AS (DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING *)
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, ends_holds, due_since, failures, last_error)
  SELECT merchant_id, order_ids[low:high], member_ids[low:high], ends_holds, due_since, failures + 1, $3
  FROM whole, LATERAL (VALUES (1, cardinality(order_ids) / 2),
    (cardinality(order_ids) / 2 + 1, cardinality(order_ids))) AS half (low, high)`;

// Orders of a merchant that fail for the same reason share a row.
const parkSql = `
  WITH one AS (DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING *),
  joined AS (
    UPDATE due_batches b SET parked_at = clock_timestamp(),
      order_ids = CASE WHEN b.order_ids @> one.order_ids THEN b.order_ids ELSE b.order_ids || one.order_ids END,
      member_ids = CASE WHEN b.order_ids @> one.order_ids THEN b.member_ids ELSE b.member_ids || one.member_ids END
    FROM one WHERE b.merchant_id = $1 AND b.parked_at IS NOT NULL AND b.id = (
      SELECT p.id FROM due_batches p, one
      WHERE p.merchant_id = $1 AND p.parked_at IS NOT NULL AND p.last_error = $3
        AND p.ends_holds = one.ends_holds AND cardinality(p.order_ids) < ${ordersPerBatch} LIMIT 1)
    RETURNING 1
  )
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, ends_holds, due_since, failures, last_error, parked_at)
  SELECT merchant_id, order_ids, member_ids, ends_holds, due_since, failures + 1, $3, clock_timestamp()
  FROM one WHERE NOT EXISTS (SELECT 1 FROM joined)`;

/**
 * Forgets that orders are parked of which a decision was made since: a newer version of them could be evaluated. A row
 * that another process changes meanwhile, because it parks one more order there, is left to the next time.
 */
export async function unparkDecided(database: Database): Promise<void> {
  await database.query(
    `WITH looked AS (
       SELECT b.merchant_id, b.id, b.order_ids AS seen_ids, array_agg(w.order_id) FILTER (WHERE NOT decided) AS order_ids,
         array_agg(w.member_id) FILTER (WHERE NOT decided) AS member_ids
       FROM due_batches b
       CROSS JOIN LATERAL unnest(b.order_ids, b.member_ids) AS w (order_id, member_id)
       CROSS JOIN LATERAL (SELECT EXISTS (SELECT 1 FROM decisions d WHERE d.merchant_id = b.merchant_id
         AND d.order_id = w.order_id AND d.created_at > b.parked_at) AS decided) e
       WHERE b.failures > 0 AND b.parked_at IS NOT NULL
       GROUP BY b.merchant_id, b.id HAVING bool_or(decided)
     ), gone AS (
       DELETE FROM due_batches b USING looked
       WHERE b.merchant_id = looked.merchant_id AND b.id = looked.id AND b.order_ids = looked.seen_ids
         AND looked.order_ids IS NULL
     )
     UPDATE due_batches b SET order_ids = looked.order_ids, member_ids = looked.member_ids FROM looked
     WHERE b.merchant_id = looked.merchant_id AND b.id = looked.id AND b.order_ids = looked.seen_ids
       AND looked.order_ids IS NOT NULL`,
    [],
  );
}

/** Orders of a merchant that were parked for one reason. */
export interface ParkedOrders {
  merchantId: string;
  orders: number;
  /** Ids of some of them. */
  examples: string[];
  /** Since when the first of them has waited, ISO 8601 in UTC. */
  since: string;
  error: string;
}

/** What is parked, by merchant and error; 100 of these groups at the most, the oldest first. */
export function listParked(database: Database): Promise<ParkedOrders[]> {
  return database.query<ParkedOrders>(
    `SELECT merchant_id AS "merchantId", sum(cardinality(order_ids))::float8 AS orders,
       to_json((array_agg(order_ids[1:3]))[1:1]) -> 0 AS examples,
       rules.iso_utc(min(due_since)) AS since, last_error AS error
     FROM due_batches WHERE failures > 0 AND parked_at IS NOT NULL
     GROUP BY merchant_id, last_error ORDER BY min(due_since) LIMIT 100`,
    [],
  );
}

/** How many orders are parked. */
export async function countParked(database: Database): Promise<number> {
  const [row] = await database.query<{ orders: number }>(
    `SELECT coalesce(sum(cardinality(order_ids)), 0)::float8 AS orders
     FROM due_batches WHERE failures > 0 AND parked_at IS NOT NULL`,
    [],
  );
  return row?.orders ?? 0;
}

/** Makes what is parked due again, of one merchant or of all. Its failures count from 0. Returns what is to be queued. */
export async function retryParked(database: Database, merchantId: string | undefined): Promise<DueBatch[]> {
  const rows = await database.query<DueRow>(
    `UPDATE due_batches SET parked_at = NULL, failures = 0, last_error = NULL, swept_at = NULL,
       due_since = clock_timestamp()
     WHERE failures > 0 AND parked_at IS NOT NULL AND merchant_id = coalesce($1, merchant_id)
     RETURNING merchant_id, id, cardinality(order_ids) AS orders`,
    [merchantId ?? null],
  );
  return rows.map(batchOf);
}
