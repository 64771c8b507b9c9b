import type { Order } from '@rewardhook/contract';
import { unpackChecks } from '@rewardhook/rewards';
import type { PackedCheck } from '@rewardhook/rewards';
import { hot } from './client.ts';
import type { Database } from './client.ts';
import { retryConflicts } from './conflicts.ts';
import { withNextAttempts } from './find-deliveries.ts';

/** The orders of one accepted request. */
export interface OrderBatch {
  merchantId: string;
  version: number;
  orders: Order[];
}

/**
 * The guarded upsert. The latest sent wins in whatever order batches are stored, and storing one twice
 * changes nothing. Rows are sorted by key, so that concurrent statements lock them in one order; of several
 * versions of an order in the batches the highest is taken.
 */
export const upsertOrdersSql = `
INSERT INTO orders AS stored (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
  order_date, first_order, paid_at, cancelled_at, returned_at, items, versions)
SELECT DISTINCT ON (batch."merchantId", sent.order_id)
  batch."merchantId", sent.order_id, batch.version, sent.member_id, sent.order_amount, sent.paid_amount,
  sent.shipping_amount, sent.order_date, sent.first_order, sent.paid_at, sent.cancelled_at, sent.returned_at, sent.items,
  ARRAY[batch.version]
FROM jsonb_to_recordset($1::jsonb) AS batch ("merchantId" text, version bigint, orders jsonb),
  jsonb_to_recordset(batch.orders) AS sent (order_id text, member_id text, order_amount bigint, paid_amount bigint,
    shipping_amount bigint, order_date timestamptz, first_order boolean, paid_at timestamptz, cancelled_at timestamptz,
    returned_at timestamptz, items jsonb)
ORDER BY batch."merchantId", sent.order_id, batch.version DESC
ON CONFLICT (merchant_id, order_id) DO UPDATE SET
  version = excluded.version, member_id = excluded.member_id, order_amount = excluded.order_amount,
  paid_amount = excluded.paid_amount, shipping_amount = excluded.shipping_amount, order_date = excluded.order_date,
  first_order = excluded.first_order, paid_at = excluded.paid_at, cancelled_at = excluded.cancelled_at,
  returned_at = excluded.returned_at, items = excluded.items,
  versions = (stored.versions || excluded.version)[greatest(1, cardinality(stored.versions) - 48):], updated_at = clock_timestamp()
WHERE stored.version < excluded.version`;

/** Stores batches of orders in one statement. */
export async function upsertOrders(database: Database, batches: OrderBatch[]): Promise<void> {
  const parameter = JSON.stringify(batches);
  await retryConflicts(() => hot(database).query(upsertOrdersSql, [parameter]));
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
    database.dueBatch.count({ where: { merchantId, orderIds: { has: orderId } } }),
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
    waitsForJudgement: due > 0,
    decisions: decisions.map((decision) => ({
      ...decision,
      checks: unpackChecks(decision.checks as unknown as PackedCheck[]),
    })),
    rewards,
    events,
    deliveries: await withNextAttempts(database, merchantId, deliveries),
  };
}
