import type { Order } from '@rewardhook/contract';
import { unpackChecks } from '@rewardhook/rewards';
import type { PackedCheck } from '@rewardhook/rewards';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { batchOf } from '../evaluation/due-batches.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';
import { withNextAttempts } from '../deliveries/find-deliveries.ts';

/** The orders of one accepted request. */
export interface OrderBatch {
  merchantId: string;
  version: number;
  orders: Order[];
}

/** Stores and marks batches of orders, given as JSON; the function says how. Returns the batches of orders that are due. */
export const upsertOrdersSql =
  'SELECT merchant_id, id, to_json(order_ids) AS order_ids FROM rules.store_orders($1::jsonb)';

/** What is due of batches that were stored. */
export interface UpsertedOrders {
  due: DueBatch[];
  /** How many orders of each stored batch that is. */
  ordersDue: number[];
}

/**
 * Stores batches of orders and marks those that have to be evaluated, in one transaction: an order that is stored and
 * ought to be evaluated is never without its mark.
 */
export async function upsertOrders(database: Database, batches: OrderBatch[]): Promise<UpsertedOrders> {
  const parameter = JSON.stringify(batches);
  const rows = await retryConflicts(() =>
    database.query<{ merchant_id: string; id: string; order_ids: string[] }>(upsertOrdersSql, [parameter]),
  );
  const idsOf = new Map<string, Set<string>>();
  for (const { merchant_id, order_ids } of rows) {
    const ids = idsOf.get(merchant_id) ?? new Set();
    for (const id of order_ids) ids.add(id);
    idsOf.set(merchant_id, ids);
  }
  return {
    due: rows.map(({ merchant_id, id, order_ids }) => batchOf({ merchant_id, id, orders: order_ids.length })),
    ordersDue: batches.map(({ merchantId, orders }) => {
      const ids = idsOf.get(merchantId);
      return ids ? orders.filter(({ order_id }) => ids.has(order_id)).length : 0;
    }),
  };
}

/** An order with its deliveries' way so far, for the operator. */
export async function findOrder(database: Database, merchantId: string, orderId: string) {
  const order = await database.order.findUnique({ where: { merchantId_orderId: { merchantId, orderId } } });
  if (!order) return undefined;
  const where = { merchantId, orderId };
  const [referral, due, decisions, rewards] = await Promise.all([
    database.referral.findUnique({
      where: { merchantId_refereeMemberId: { merchantId, refereeMemberId: order.memberId } },
    }),
    database.dueBatch.findMany({
      where: { merchantId, orderIds: { has: orderId } },
      select: { parkedAt: true, lastError: true, failures: true },
    }),
    database.decision.findMany({ where, orderBy: { number: 'asc' } }),
    database.reward.findMany({ where, orderBy: { createdAt: 'asc' } }),
  ]);
  const events = await database.event.findMany({
    where: { merchantId, rewardId: { in: rewards.map(({ id }) => id) } },
    orderBy: { sequence: 'asc' },
  });
  const deliveries = await database.delivery.findMany({
    where: { merchantId, eventId: { in: events.map(({ id }) => id) } },
    omit: { retryAt: true },
    orderBy: { createdAt: 'asc' },
  });
  return {
    order,
    referral,
    waitsForJudgement: due.some(({ parkedAt }) => parkedAt === null),
    /** Evaluations that failed repeatedly and are set aside. */
    parked: due.filter(({ parkedAt }) => parkedAt !== null),
    decisions: decisions.map((decision) => ({
      ...decision,
      checks: unpackChecks(decision.checks as unknown as PackedCheck[]),
    })),
    rewards,
    events,
    deliveries: await withNextAttempts(database, merchantId, deliveries),
  };
}
