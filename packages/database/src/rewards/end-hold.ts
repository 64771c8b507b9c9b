import { audit } from '../audit/audited.ts';
import type { Database } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';

/**
 * Ends the hold of the pending rewards of an order of a test side: the sweeper of holds then enqueues the order, and its
 * evaluation confirms them. Returns the number of rewards; 0 for an order of a live side.
 */
export function endHold(database: Database, merchantId: string, orderId: string): Promise<number> {
  return database.$transaction(async (tx) => {
    const isTestSide = (await tx.merchant.count({ where: { id: merchantId, mode: 'test' } })) === 1;
    if (!isTestSide) return 0;
    const now = await readTime(tx);
    const ended = await tx.reward.updateMany({
      where: { merchantId, orderId, state: 'pending', confirmDueAt: { gt: now } },
      data: { holdDays: 0, confirmDueAt: now, holdEnqueued: false },
    });
    await audit(tx, { subjectId: orderId, details: { rewards: ended.count } });
    return ended.count;
  });
}
