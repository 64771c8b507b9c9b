import fc from 'fast-check';
import type { Order } from '@rewardhook/contract';
import { cancellationOf, countsAsPaid, paidNow } from '@rewardhook/rewards';
import { buildItem, buildOrder } from '@rewardhook/testing';
import { listOrdersPage } from '../reads/orders.ts';
import { listOrderStates } from '../evaluation/order-states.ts';
import { upsertOrders } from './orders.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

const merchantId = 'mer_1';
useDatabase(2);

const at = '2026-11-10T10:00:00Z';
const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
const time = fc.option(fc.constant(at), { nil: null, freq: 1 });
const item = fc.record({ paid_amount: fc.constantFrom(0, 1, 9_000), cancelled_at: time }).map(buildItem);
const order = fc
  .record({
    paid_amount: fc.constantFrom(0, 1, 5_000, 30_000),
    shipping_amount: fc.constantFrom(0, 3_000),
    paid_at: fc.constantFrom(at, at, at, null, inAYear),
    cancelled_at: fc.constantFrom(null, null, null, at),
    returned_at: fc.constantFrom(null, null, null, at),
    items: fc.array(item, { maxLength: 3 }),
  })
  .map(buildOrder);

/** The rule in the words of decision 003, without the code under test. */
function expected({ paid_at, cancelled_at, returned_at, paid_amount, shipping_amount, items }: Order) {
  const kept = items.filter((one) => one.cancelled_at === null);
  const gone = cancelled_at !== null || (items.length > 0 && kept.length === 0);
  const rest = kept.reduce((sum, one) => sum + one.paid_amount, shipping_amount);
  return {
    counts: paid_at !== null && paid_at !== inAYear && returned_at === null && !gone,
    gone,
    paid: kept.length === items.length ? paid_amount : Math.min(paid_amount, rest),
  };
}

it('What an order is worth after its cancelled products is the same in SQL, in the rules and in the console', async () => {
  await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
  const orders = fc.sample(order, 400);
  await upsertOrders(database, [{ merchantId, version: 1, orders: JSON.stringify(orders) }]);
  const states = await listOrderStates(
    database,
    merchantId,
    orders.map(({ order_id }) => order_id),
  );
  // The condition of the index of paid orders: statements that spell it in another way do not use the index.
  const [index] = await database.query<{ condition: string }>(
    `SELECT pg_get_expr(indpred, indrelid) AS condition FROM pg_index WHERE indexrelid = 'orders_paid_idx'::regclass`,
  );
  const counted = await database.query<{ order_id: string; counts: boolean }>(
    `SELECT order_id, ${index?.condition} AS counts FROM orders`,
  );
  const listed = await listOrdersPage(database, merchantId, {}, { after: null, limit: 400 });
  const results = new Map(counted.map(({ order_id, counts }) => [order_id, [counts] as unknown[]]));
  for (const { order: fact } of states)
    results.get(fact.orderId)?.push(countsAsPaid(fact), cancellationOf(fact) !== null, paidNow(fact));
  for (const row of listed.items)
    results.get(row.order_id)?.push(row.every_product_cancelled || row.cancelled_at !== null, row.paid_now);
  for (const one of orders) {
    const { counts, gone, paid } = expected(one);
    expect({ order: one, result: results.get(one.order_id) }).toEqual({
      order: one,
      result: [counts, counts, gone, paid, gone, paid],
    });
  }
});
