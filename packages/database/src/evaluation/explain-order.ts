import { explain, explainUnreadable } from '@rewardhook/rewards';
import type { OrderExplanation } from '@rewardhook/rewards';
import type { Database } from '../client/client.ts';
import { isTransient } from '../client/database-errors.ts';
import { readOrderHistory } from './order-timeline.ts';

/** Explains why an order earned what it did; undefined when the merchant has no such order. */
export async function explainOrder(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<OrderExplanation | undefined> {
  const history = await readOrderHistory(database, merchantId, orderId).catch(async (error: unknown) => {
    if (isTransient(error)) throw error;
    const parked = await findParkedOrder(database, merchantId, orderId);
    if (!parked) throw error;
    return parked;
  });
  if (!history) return undefined;
  return 'input' in history ? explain(history) : explainUnreadable(history);
}

/** An order whose evaluation is parked, with what can be read of it; undefined when it is not parked. */
async function findParkedOrder(database: Database, merchantId: string, orderId: string) {
  const [order, parked, program] = await Promise.all([
    database.order.findUnique({ where: { merchantId_orderId: { merchantId, orderId } } }),
    database.dueBatch.findFirst({
      where: { merchantId, orderIds: { has: orderId }, parkedAt: { not: null } },
      orderBy: { parkedAt: 'asc' },
    }),
    database.programVersion.findFirst({ where: { merchantId }, orderBy: { version: 'desc' } }),
  ]);
  if (!order || !parked?.parkedAt || !program) return undefined;
  return {
    orderId,
    memberId: order.memberId,
    version: Number(order.version),
    program: { id: program.programId, version: program.version },
    parkedSince: parked.parkedAt.toISOString(),
  };
}
