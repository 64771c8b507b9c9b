import type { Order } from '@rewardhook/contract';
import { unpackChecks } from '@rewardhook/rewards';
import type { PackedCheck } from '@rewardhook/rewards';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { withNextAttempts } from '../deliveries/find-deliveries.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';
import { raiseVersionCeiling } from './version-ceiling.ts';

/**
 * The orders of one accepted request. `version` is the number of the request: the highest version of an order is
 * stored.
 */
export interface OrderBatch {
  merchantId: string;
  version: number;
  orders: Order[];
  /** The request, and the traceparent that its evaluation belongs to. */
  requestId?: string | undefined;
  traceparent?: string | undefined;
}

/**
 * Stores batches of orders, given as JSON ($1), and enqueues those that are due for evaluation. Returns the due batches,
 * or one row of nulls when the ceiling of versions is below the highest one of the batches ($2); see the function in
 * the schema.
 */
export const upsertOrdersSql = `
  SELECT merchant_id AS "merchantId", id AS "batchId", to_json(order_ids) AS "orderIds"
  FROM rules.store_orders_below_ceiling($1::jsonb, $2)`;

/** What {@link upsertOrders} enqueued for evaluation. */
export interface UpsertedOrders {
  due: DueBatch[];
  /** For each stored batch, the number of its orders that are due. */
  ordersDue: number[];
}

/**
 * Stores batches of orders and enqueues those that are due for evaluation, in one transaction: an order that should be
 * evaluated is never stored without being enqueued.
 */
export async function upsertOrders(database: Database, batches: OrderBatch[]): Promise<UpsertedOrders> {
  const rows = await storeBelowCeiling(database, batches);
  const dueOrders = new Map<string, Set<string>>();
  for (const { merchantId, orderIds } of rows) {
    const ids = dueOrders.get(merchantId) ?? new Set();
    for (const id of orderIds) ids.add(id);
    dueOrders.set(merchantId, ids);
  }
  return {
    due: rows.map(({ merchantId, batchId, orderIds }) => ({ merchantId, batchId, orders: orderIds.length })),
    ordersDue: batches.map(({ merchantId, orders }) => {
      const ids = dueOrders.get(merchantId);
      return ids ? orders.filter(({ order_id }) => ids.has(order_id)).length : 0;
    }),
  };
}

interface StoredRow {
  merchantId: string;
  batchId: string;
  orderIds: string[];
}

async function storeBelowCeiling(database: Database, batches: OrderBatch[]): Promise<StoredRow[]> {
  const parameter = JSON.stringify(batches);
  const highest = batches.reduce((max, { version }) => Math.max(max, version), 0);
  const store = () =>
    retryConflicts(() =>
      database.query<StoredRow | Record<keyof StoredRow, null>>(upsertOrdersSql, [parameter, highest]),
    );
  const stored = (rows: Awaited<ReturnType<typeof store>>): rows is StoredRow[] =>
    rows[0]?.merchantId !== null;

  const rows = await store();
  if (stored(rows)) return rows;
  await raiseVersionCeiling(database, highest);
  const retried = await store();
  if (stored(retried)) return retried;
  throw new Error('the ceiling of versions was lowered while orders were stored');
}

/** Finds an order with its referral, decisions, rewards, events and deliveries; undefined when there is none. */
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
    /** Its evaluation failed repeatedly and waits for an operator. */
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
