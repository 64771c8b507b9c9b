import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { batchOf, enqueueOrdersOfReferralsSql, ordersPerBatch } from './due-batches.ts';
import type { DueBatch, DueRow } from './due-batches.ts';
import { failuresBeforeSplit } from './failing-batches.ts';

/**
 * Marks the orders of referrals of which that is not finished: those that were not looked at within `afterSeconds` after the
 * link, and those whose look has to be repeated and can be now. Orders that were evaluated for the referee are left out.
 */
export async function sweepReferrals(database: Database, afterSeconds: number): Promise<DueBatch[]> {
  const rows = await retryConflicts(() => database.query<DueRow>(markManySql, [afterSeconds]));
  return rows.map(batchOf);
}

const markManySql = enqueueOrdersOfReferralsSql(
  `r.orders_enqueued_at IS NULL
    AND CASE WHEN r.enqueue_after_xid IS NULL THEN r.linked_at < now() - make_interval(secs => $1::double precision)
      ELSE r.enqueue_after_xid <= oldest_xid OR r.enqueue_after_xid > next_xid END
    ORDER BY r.linked_at LIMIT 1000 FOR UPDATE OF r SKIP LOCKED`,
  `NOT EXISTS (SELECT 1 FROM decisions d WHERE d.merchant_id = o.merchant_id AND d.order_id = o.order_id
    AND d.order_version = o.version AND d.member_id = o.member_id)`,
);

/**
 * Marks the orders of pending rewards whose hold is over; the judgement confirms them, or takes them back. Those whose
 * referral is under review wait for that. Those that wait in a batch of this kind already are left out: hence one process at a time looks, and after the last has written.
 */
export function enqueueEndedHolds(database: Database): Promise<DueBatch[]> {
  return transact(database, async (tx) => {
    const [lock] = await tx.query<{ held: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtext('rewardhook holds')) AS held",
      [],
    );
    if (!lock?.held) return [];
    const rows = await tx.query<DueRow>(holdsOver, []);
    return rows.map(batchOf);
  });
}

const holdsOver = `
  INSERT INTO due_batches (merchant_id, order_ids, member_ids, ends_holds)
  SELECT merchant_id, array_agg(order_id), array_agg(member_id), true
  FROM (
    SELECT *, row_number() OVER (PARTITION BY merchant_id ORDER BY order_id) AS place
    FROM (
      SELECT DISTINCT o.merchant_id, o.order_id, o.member_id
      FROM rewards w JOIN orders o ON o.merchant_id = w.merchant_id AND o.order_id = w.order_id
      WHERE w.state = 'pending' AND w.confirm_due_at <= now()
        AND NOT EXISTS (SELECT 1 FROM referrals r
          WHERE r.merchant_id = w.merchant_id AND r.id = w.referral_id AND r.review = 'pending')
        AND (w.merchant_id, w.order_id) NOT IN (
        SELECT merchant_id, unnest(order_ids) FROM due_batches WHERE ends_holds)
      LIMIT 5000) due
  ) placed
  GROUP BY merchant_id, (place - 1) / ${ordersPerBatch}
  RETURNING merchant_id, id, cardinality(order_ids) AS orders`;

/**
 * Takes batches that have waited for their judgement longer than `afterSeconds` without a job: the job was lost,
 * or never queued. Each is taken at most once per `afterSeconds`, by one sweeper.
 */
export async function sweepDueBatches(
  database: Database,
  afterSeconds: number,
  limit: number,
): Promise<DueBatch[]> {
  const rows = await database.query<DueRow>(
    `UPDATE due_batches due SET swept_at = now()
    FROM (
      SELECT merchant_id, id FROM due_batches
      WHERE due_since < now() - make_interval(secs => $1::double precision)
        AND parked_at IS NULL AND failures < $2
        AND (swept_at IS NULL OR swept_at < now() - make_interval(secs => $1::double precision))
      ORDER BY due_since LIMIT $3 FOR UPDATE SKIP LOCKED
    ) late
    WHERE due.merchant_id = late.merchant_id AND due.id = late.id
    RETURNING due.merchant_id, due.id::text, cardinality(due.order_ids) AS orders`,
    [afterSeconds, failuresBeforeSplit, limit],
  );
  return rows.map(batchOf);
}
