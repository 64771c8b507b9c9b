import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { rowsByKey } from '../client/rows-by-key.ts';
import { textArray } from '../client/sql-arrays.ts';
import { countsAsPaid } from '../orders/order-worth.ts';
import { earliestPaidOf } from './order-states.ts';

/** Orders of one merchant that are due for evaluation together: a row of `due_batches`, and the job for it. */
export interface DueBatch {
  merchantId: string;
  batchId: string;
  /** The number of orders. */
  orders: number;
}

/** A request that orders of a batch came with. */
export interface BatchRequest {
  /** The version of its orders; undefined when the request enqueued all orders of the batch. */
  version?: number;
  id: string;
  traceparent?: string | undefined;
}

/** The most orders of a batch, which are evaluated in one transaction. */
export const ordersPerBatch = 100;

/** Failures, transient ones not counted, after which the orders of a batch are evaluated one by one. */
export const failuresBeforeSplit = 3;

/** The columns of a {@link DueBatch}. */
export const batchColumns =
  'merchant_id AS "merchantId", id::text AS "batchId", cardinality(order_ids) AS orders';

/** Orders to evaluate again. An order may be in several of these. */
export interface OrdersToReevaluate {
  /** Single orders. */
  orderIds?: string[];
  /** Members whose first order may have changed: of their orders, those that can be the first. */
  firstOrdersOf?: string[];
  /** Members whose orders may all be decided differently. */
  allOrdersOf?: string[];
}

/**
 * Enqueues orders for evaluation. The first order of a member is the earliest paid one, or one that the merchant marks: no other
 * order can be decided differently when the first one changes.
 * $1 merchant id, $2 order ids, $3 members whose first order may have changed, $4 members whose orders are all enqueued, $5 the requests that caused it, or null.
 */
const enqueueOrdersSql = `
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions, requests)
  SELECT $1, array_agg(order_id ORDER BY position), array_agg(member_id ORDER BY position),
    array_agg(version ORDER BY position), $5::jsonb
  FROM (
    SELECT order_id, member_id, version, row_number() OVER (ORDER BY member_id, order_id) AS position
    FROM (
      SELECT o.order_id, o.member_id, o.version
      FROM unnest($2::text[]) AS wanted (order_id)
      CROSS JOIN LATERAL ${rowsByKey('orders', { column: 'order_id', value: 'wanted.order_id' })} o
      UNION
      SELECT o.order_id, o.member_id, o.version
      FROM unnest($3::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL (${earliestPaidOf('wanted.member_id')}) o
      UNION
      SELECT o.order_id, o.member_id, o.version
      FROM unnest($3::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL
        ${rowsByKey('orders', { column: 'member_id', value: 'wanted.member_id', where: 'first_order' })} o
      WHERE ${countsAsPaid('o')}
      UNION
      SELECT o.order_id, o.member_id, o.version
      FROM unnest($4::text[]) AS wanted (member_id)
      CROSS JOIN LATERAL ${rowsByKey('orders', { column: 'member_id', value: 'wanted.member_id' })} o
    ) again
  ) due
  GROUP BY (position - 1) / ${ordersPerBatch}
  RETURNING ${batchColumns}`;

/** Enqueues orders for evaluation. Returns the batches. */
export async function enqueueOrders(
  tx: Queryable,
  merchantId: string,
  { orderIds = [], firstOrdersOf = [], allOrdersOf = [] }: OrdersToReevaluate,
  request?: BatchRequest,
): Promise<DueBatch[]> {
  if (orderIds.length + firstOrdersOf.length + allOrdersOf.length === 0) return [];
  return tx.query<DueBatch>(enqueueOrdersSql, [
    merchantId,
    textArray(orderIds),
    textArray(firstOrdersOf),
    textArray(allOrdersOf),
    request ? JSON.stringify([{ ...request, version: undefined }]) : null,
  ]);
}

/**
 * The end of a statement that enqueues the referees' orders of `selected` referrals (merchant_id, id, after_xid), and
 * records in each referral whether they are complete.
 *
 * An order that is being stored while the referral is committed does not see the referral, and is not seen here. It
 * is found by a later pass, once its transaction has ended. So a pass is the last one (`orders_enqueued_at` is set)
 * when no transaction from before the first pass is still running, that is, none with an id below `after_xid`; the
 * first pass sets `enqueue_after_xid` to the next id to be assigned. A stored id that is greater than the next id to
 * be assigned was set in another cluster, before a restore, and is ignored.
 *
 * `condition` selects among the orders `o`.
 */
const enqueueOrdersOfSelectedReferrals = (condition: string) => `
  updated AS (
    UPDATE referrals r SET
      orders_enqueued_at = CASE WHEN running.oldest_xid >= selected.after_xid THEN now() ELSE r.orders_enqueued_at END,
      enqueue_after_xid = selected.after_xid
    FROM selected, running
    WHERE r.merchant_id = selected.merchant_id AND r.id = selected.id
    RETURNING r.merchant_id, r.referee_member_id
  ), due AS (
    SELECT o.merchant_id, o.order_id, o.member_id, o.version,
      row_number() OVER (PARTITION BY o.merchant_id ORDER BY o.member_id, o.order_id) AS position
    FROM updated CROSS JOIN LATERAL (
      SELECT * FROM orders
      WHERE merchant_id = updated.merchant_id AND member_id = updated.referee_member_id OFFSET 0) o
    WHERE ${condition}
  )
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions)
  SELECT merchant_id, array_agg(order_id ORDER BY position), array_agg(member_id ORDER BY position),
    array_agg(version ORDER BY position)
  FROM due GROUP BY merchant_id, (position - 1) / ${ordersPerBatch}
  RETURNING ${batchColumns}`;

/** The transactions that are running: the oldest id, and the next id to be assigned. */
const running = `running AS MATERIALIZED (
    SELECT pg_snapshot_xmin(s) AS oldest_xid, pg_snapshot_xmax(s) AS next_xid FROM pg_current_snapshot() s
  )`;

/** The columns of `selected`: `after_xid` is what an earlier pass has set, or the next id to be assigned. */
const selectedColumns = `r.merchant_id, r.id,
      CASE WHEN r.enqueue_after_xid <= next_xid THEN r.enqueue_after_xid ELSE next_xid END AS after_xid`;

/** $1 merchant id, $2 referral id. */
const enqueueOrdersOfReferralSql = `
  WITH ${running}, selected AS MATERIALIZED (
    SELECT ${selectedColumns} FROM referrals r, running WHERE r.merchant_id = $1 AND r.id = $2
  ), ${enqueueOrdersOfSelectedReferrals('true')}`;

/**
 * Enqueues the orders that a referral's referee had before. To be called after the referral was committed; if that does
 * not happen, or a further pass is needed, {@link sweepReferrals} does it. Returns the batches.
 */
export async function enqueueOrdersOfReferral(
  database: Sql,
  merchantId: string,
  referral: { id: string },
): Promise<DueBatch[]> {
  return retryConflicts(() =>
    database.query<DueBatch>(enqueueOrdersOfReferralSql, [merchantId, referral.id]),
  );
}

/** $1 seconds after which the first pass is overdue. Orders with a decision about their version are left out. */
const sweepReferralsSql = `
  WITH ${running}, selected AS MATERIALIZED (
    SELECT ${selectedColumns} FROM referrals r, running
    WHERE r.orders_enqueued_at IS NULL
      AND CASE
        WHEN r.enqueue_after_xid IS NULL THEN r.linked_at < now() - make_interval(secs => $1::double precision)
        ELSE r.enqueue_after_xid <= oldest_xid OR r.enqueue_after_xid > next_xid
      END
    ORDER BY r.linked_at LIMIT 1000 FOR UPDATE OF r SKIP LOCKED
  ), ${enqueueOrdersOfSelectedReferrals(`NOT EXISTS (
      SELECT 1 FROM decisions d
      WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id AND d.order_version = o.version
        AND d.member_id = o.member_id)`)}`;

/**
 * Enqueues the orders of referrals whose passes are not complete: the first one is missing for `afterSeconds` after the
 * link, or a further one is needed and possible now. Returns the batches.
 */
export async function sweepReferrals(database: Sql, afterSeconds: number): Promise<DueBatch[]> {
  return retryConflicts(() => database.query<DueBatch>(sweepReferralsSql, [afterSeconds]));
}

/**
 * Rewards under review are left out, orders that are due for this reason already, and those of test data that is being deleted:
 * their evaluation changes nothing.
 */
const enqueueEndedHoldsSql = `
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions, ends_holds)
  SELECT merchant_id, array_agg(order_id), array_agg(member_id), array_agg(version), true
  FROM (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY order_id) AS position
    FROM (
      SELECT DISTINCT o.merchant_id, o.order_id, o.member_id, o.version
      FROM rewards w JOIN orders o ON o.merchant_id = w.merchant_id AND o.order_id = w.order_id
      WHERE w.state = 'pending' AND w.confirm_due_at <= now()
        AND NOT EXISTS (
          SELECT 1 FROM referrals r
          WHERE r.merchant_id = w.merchant_id AND r.id = w.referral_id AND r.review = 'pending')
        AND (w.merchant_id, w.order_id) NOT IN (
          SELECT merchant_id, unnest(order_ids) FROM due_batches WHERE ends_holds)
        AND w.merchant_id NOT IN (SELECT merchant_id FROM wipes WHERE finished_at IS NULL)
      LIMIT 5000
    ) due
  ) numbered
  GROUP BY merchant_id, (position - 1) / ${ordersPerBatch}
  RETURNING ${batchColumns}`;

/**
 * Enqueues the orders of pending rewards whose hold has ended: their evaluation confirms or withdraws the rewards.
 * One process at a time runs this, after the previous one has committed, so that no order is enqueued twice. Returns
 * the batches.
 */
export function enqueueEndedHolds(database: Sql): Promise<DueBatch[]> {
  return transact(database, async (tx) => {
    const [lock] = await tx.query<{ acquired: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtext('rewardhook holds')) AS acquired",
    );
    return lock?.acquired ? tx.query<DueBatch>(enqueueEndedHoldsSql) : [];
  });
}

/** $1 seconds, $2 limit. */
const sweepDueBatchesSql = `
  UPDATE due_batches SET swept_at = now()
  FROM (
    SELECT merchant_id AS late_merchant_id, id AS late_id FROM due_batches
    WHERE due_since < now() - make_interval(secs => $1::double precision)
      AND parked_at IS NULL
      AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => $1::double precision))
    ORDER BY due_since LIMIT $2 FOR UPDATE SKIP LOCKED
  ) late
  WHERE merchant_id = late_merchant_id AND id = late_id
  RETURNING ${batchColumns}`;

/**
 * Returns batches that have been due for longer than `afterSeconds`: their job still waits, was lost, or was never
 * enqueued. Each is returned at most once per `afterSeconds`, to one sweeper.
 */
export function sweepDueBatches(database: Sql, afterSeconds: number, limit: number): Promise<DueBatch[]> {
  return database.query<DueBatch>(sweepDueBatchesSql, [afterSeconds, limit]);
}

/** Returns those of the batches that are still due. The others were evaluated or parked. */
export async function findDueBatches(database: Sql, batches: DueBatch[]): Promise<DueBatch[]> {
  if (batches.length === 0) return [];
  return database.query<DueBatch>(
    `SELECT ${batchColumns} FROM due_batches
     WHERE (merchant_id, id) IN (SELECT * FROM unnest($1::text[], $2::uuid[])) AND parked_at IS NULL`,
    [
      textArray(batches.map(({ merchantId }) => merchantId)),
      textArray(batches.map(({ batchId }) => batchId)),
    ],
  );
}

/** A batch that was claimed for its evaluation. */
export interface ClaimedBatch {
  batchId: string;
  orderIds: string[];
  memberIds: string[];
  /** How long it has been due. */
  dueSeconds: number;
  /** The version of each order when it was enqueued. */
  orderVersions: number[];
  requests: BatchRequest[] | null;
}

/**
 * Deletes batches to evaluate them; a rollback restores them, and no other process can claim them until then. Batches
 * that were evaluated already are left out.
 */
export function claimBatches(tx: Queryable, merchantId: string, batchIds: string[]): Promise<ClaimedBatch[]> {
  return tx.query<ClaimedBatch>(
    `DELETE FROM due_batches WHERE merchant_id = (SELECT $1::text) AND id = ANY($2::uuid[])
     RETURNING id::text AS "batchId", to_json(order_ids) AS "orderIds", to_json(member_ids) AS "memberIds",
       to_json(order_versions) AS "orderVersions", requests,
       extract(epoch FROM now() - due_since)::float8 AS "dueSeconds"`,
    [merchantId, textArray(batchIds)],
  );
}
