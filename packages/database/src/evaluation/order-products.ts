import { hasProductRule, isLive } from '@rewardhook/rewards';
import type { EarlierReward, OrderProduct, Program } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import type { StoredOrder } from './order-states.ts';

/** A product as it is stored with its order. */
interface StoredProduct {
  product_id: string;
  sku?: string;
  paid_amount: number;
  cancelled_at?: string | null;
  labels?: string[];
}

const listProductsSql = statement<
  { orderId: string; items: StoredProduct[] },
  [merchantId: string, orderIds: string]
>({
  name: 'list the products of orders',
  parameters: ['text', 'text[]'],
  columns: { orderId: 'text', items: 'jsonb' },
  text: `
    SELECT o.order_id AS "orderId", o.items
    FROM unnest($2::text[]) AS wanted (order_id)
    CROSS JOIN LATERAL (
      SELECT * FROM orders
      WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
      ORDER BY order_id OFFSET 0) o`,
});

/** Whether the products of orders are read: a rule of one of these programs, or of one that a live reward was given under, has `products`. */
export function needProducts(programs: Program[], rewards: EarlierReward[]): boolean {
  return (
    programs.some(({ terms }) => hasProductRule(terms)) ||
    rewards.some((reward) => isLive(reward) && hasProductRule(reward.program.terms))
  );
}

/** Reads the products of these orders. To be called under the locks, or in the snapshot, under which the orders were read. */
export async function withProducts(
  database: Queryable,
  merchantId: string,
  orders: StoredOrder[],
): Promise<StoredOrder[]> {
  const ids = orders.map(({ order }) => order.orderId);
  if (ids.length === 0) return orders;
  const rows = await run(database, listProductsSql, [merchantId, textArray(ids)]);
  const productsOf = new Map(rows.map(({ orderId, items }) => [orderId, items.map(productOf)]));
  return orders.map(({ order, last }) => ({
    order: { ...order, products: productsOf.get(order.orderId) ?? [] },
    last,
  }));
}

function productOf({ product_id, sku, paid_amount, cancelled_at, labels }: StoredProduct): OrderProduct {
  return {
    productId: product_id,
    sku: sku ?? '',
    paidAmount: paid_amount,
    isCancelled: (cancelled_at ?? null) !== null,
    labels: labels ?? [],
  };
}
