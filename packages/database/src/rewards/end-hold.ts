import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';

/**
 * Ends the hold of the pending rewards of an order of a test side: the sweeper of holds then enqueues the order, and its
 * evaluation confirms them. Returns the number of rewards; 0 for an order of a live side.
 */
export function endHold(database: Sql, merchantId: string, orderId: string): Promise<number> {
  return transact(database, async (tx) => {
    const ended = await tx.execute(
      `UPDATE rewards SET confirm_due_at = now()
       WHERE merchant_id = (SELECT id FROM merchants WHERE id = $1 AND mode = 'test') AND order_id = $2
         AND state = 'pending' AND confirm_due_at > now()`,
      [merchantId, orderId],
    );
    await audit(tx, { subjectId: orderId, details: { rewards: ended } });
    return ended;
  });
}
