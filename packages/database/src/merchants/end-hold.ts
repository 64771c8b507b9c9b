import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';

/**
 * Ends the hold of the pending rewards of an order of a test side: the sweeper of holds then enqueues the order, and its
 * evaluation confirms them. Times of holds have milliseconds. Returns the number of rewards; 0 for an order of a live side.
 */
export function endHold(database: Sql, merchantId: string, orderId: string): Promise<number> {
  return transact(database, async (tx: Queryable) => {
    const testSide = await tx.query("SELECT 1 FROM merchants WHERE id = $1 AND mode = 'test'", [merchantId]);
    if (testSide.length === 0) return 0;
    const rewards = await tx.execute(
      `UPDATE rewards SET hold_days = 0, confirm_due_at = now.time, hold_enqueued = false
       FROM (SELECT date_trunc('milliseconds', clock_timestamp()) AS time) now
       WHERE merchant_id = $1 AND order_id = $2 AND state = 'pending' AND confirm_due_at > now.time`,
      [merchantId, orderId],
    );
    await audit(tx, { subjectId: orderId, details: { rewards } });
    return rewards;
  });
}
