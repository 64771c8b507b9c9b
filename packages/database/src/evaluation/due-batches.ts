import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';

/** Orders of one merchant that wait to be judged together: a row of `due_batches`. The same goes as job. */
export interface DueBatch {
  merchantId: string;
  batchId: string;
  /** How many they are. */
  orders: number;
}

/** Orders in a batch at the most: so many are judged in one transaction. */
export const ordersPerBatch = 1_000;

/** What a new row of `due_batches` returns. */
export interface DueRow {
  merchant_id: string;
  id: string;
  orders: number;
}

/** Marks all orders of members to be judged (again): their link came, or a reward of theirs fell away. */
export async function enqueueOrdersOfMembers(
  sql: Queryable,
  merchantId: string,
  memberIds: string[],
): Promise<DueBatch[]> {
  if (memberIds.length === 0) return [];
  const rows = await sql.query<DueRow>(
    `INSERT INTO due_batches (merchant_id, order_ids, member_ids)
     SELECT $1, array_agg(order_id ORDER BY place), array_agg(member_id ORDER BY place)
     FROM (
       SELECT order_id, member_id, row_number() OVER (ORDER BY member_id, order_id) AS place FROM orders
       WHERE merchant_id = (SELECT $1::text) AND member_id = ANY($2)) due
     GROUP BY (place - 1) / ${ordersPerBatch}
     RETURNING merchant_id, id, cardinality(order_ids) AS orders`,
    [merchantId, memberIds],
  );
  return rows.map(batchOf);
}

/**
 * Marks the referee's orders for evaluation once more, and says in the referral whether that was the last look that it
 * needs. An order that was stored by a transaction that could not see the link yet is marked by nobody else; it is seen
 * here when that transaction has ended. So the look is the last one when it sees the end of every transaction that was
 * running at an earlier look, or when none is running. A look after that finds those of which the id is below
 * `enqueue_after_xid`. An id of another cluster, from before a restore, says nothing.
 *
 * `which` selects the referrals, and `only` their orders `o`.
 */
export const enqueueOrdersOfReferralsSql = (which: string, only: string) => `
  WITH now_running AS MATERIALIZED (
    SELECT pg_snapshot_xmin(s) AS oldest_xid, pg_snapshot_xmax(s) AS next_xid
    FROM pg_current_snapshot() s
  ), wanted AS MATERIALIZED (
    SELECT r.merchant_id, r.id, CASE WHEN r.enqueue_after_xid <= next_xid THEN r.enqueue_after_xid ELSE next_xid END AS after_xid
    FROM referrals r, now_running WHERE ${which}
  ), looked AS (
    UPDATE referrals r SET
      orders_enqueued_at = CASE WHEN oldest_xid >= after_xid THEN now() ELSE r.orders_enqueued_at END,
      enqueue_after_xid = after_xid
    FROM wanted, now_running WHERE r.merchant_id = wanted.merchant_id AND r.id = wanted.id
    RETURNING r.merchant_id, r.referee_member_id
  ), due AS (
    SELECT o.merchant_id, o.order_id, o.member_id,
      row_number() OVER (PARTITION BY o.merchant_id ORDER BY o.member_id, o.order_id) AS place
    FROM looked CROSS JOIN LATERAL (
      SELECT * FROM orders WHERE merchant_id = looked.merchant_id AND member_id = looked.referee_member_id OFFSET 0) o
    WHERE ${only}
  )
  INSERT INTO due_batches (merchant_id, order_ids, member_ids)
  SELECT merchant_id, array_agg(order_id ORDER BY place), array_agg(member_id ORDER BY place)
  FROM due GROUP BY merchant_id, (place - 1) / ${ordersPerBatch}
  RETURNING merchant_id, id, cardinality(order_ids) AS orders`;

/**
 * Marks the earlier orders of a referral's referee for evaluation. Runs after the link has committed; where it did not
 * run, or has to be repeated, the referral says so itself and the sweeper does it.
 */
export async function enqueueOrdersOfReferral(
  database: Database,
  merchantId: string,
  referral: { id: string },
): Promise<DueBatch[]> {
  const rows = await retryConflicts(() => database.query<DueRow>(markOneSql, [merchantId, referral.id]));
  return rows.map(batchOf);
}

const markOneSql = enqueueOrdersOfReferralsSql('r.merchant_id = $1 AND r.id = $2', 'true');

/** The batch as its row tells of it. */
export function batchOf({ merchant_id, id, orders }: DueRow): DueBatch {
  return { merchantId: merchant_id, batchId: id, orders };
}

/** Takes a batch to judge it: nobody else can until this transaction ends. Undefined when it was judged already. */
export async function claimBatch(
  tx: Queryable,
  merchantId: string,
  batchId: string,
): Promise<{ orderIds: string[]; memberIds: string[] } | undefined> {
  const [row] = await tx.query<{ order_ids: string[]; member_ids: string[] }>(
    'DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING to_json(order_ids) AS order_ids, to_json(member_ids) AS member_ids',
    [merchantId, batchId],
  );
  return row && { orderIds: row.order_ids, memberIds: row.member_ids };
}
