import { isLive, productFiltersOf, sumProducts } from '@rewardhook/rewards';
import type { OrderProduct, ProductFilter, ProductSums } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import type { EarlierRewards } from './earlier-rewards.ts';
import type { StoredOrder } from './order-states.ts';

/**
 * The most products that are in memory at a time: those of the two largest orders. A product is at most 1,150 characters here, so that they
 * are a few MiB, whatever the orders of a batch are.
 */
const mostProducts = 2_000;

/** What rules read of a product. */
type StoredProduct = [
  productId: string,
  sku: string | null,
  paidAmount: number,
  isCancelled: boolean,
  labels: string[] | null,
];

const listProductsSql = statement<
  { orderId: string; products: StoredProduct[] },
  [merchantId: string, orderIds: string]
>({
  name: 'list the products of orders',
  parameters: ['text', 'text[]'],
  columns: { orderId: 'text', products: 'json' },
  text: `
    SELECT o.order_id AS "orderId", found.products
    FROM unnest($2::text[]) AS wanted (order_id)
    CROSS JOIN LATERAL (
      SELECT * FROM orders
      WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
      ORDER BY order_id OFFSET 0) o
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(json_build_array(item -> 'product_id', item -> 'sku', item -> 'paid_amount',
        item ->> 'cancelled_at' IS NOT NULL, item -> 'labels')), '[]') AS products
      FROM jsonb_array_elements(o.items) AS item) found`,
});

/** The filters that can decide about each order: these, and those of the versions that its live rewards were given under. */
export function productFiltersWith(
  filters: readonly ProductFilter[],
  rewards: EarlierRewards,
): (orderId: string) => ProductFilter[] {
  return (orderId) => {
    const own = rewards.of(orderId, null).filter(isLive);
    return [...new Set([...filters, ...own.flatMap(({ program }) => productFiltersOf(program.terms))])];
  };
}

/**
 * Reads the products of the orders that have filters, a part of them at a time, and keeps the sums. To be called under the locks, or in
 * the snapshot, under which the orders were read.
 */
export async function withProducts(
  database: Queryable,
  merchantId: string,
  orders: StoredOrder[],
  filtersOf: (orderId: string) => ProductFilter[],
): Promise<StoredOrder[]> {
  const filters = new Map(orders.map(({ order: { orderId } }) => [orderId, filtersOf(orderId)]));
  const wanted = orders.filter(({ order }) => filters.get(order.orderId)?.length);
  const sums = new Map<string, ProductSums>();
  for (const ids of partsOf(wanted))
    for (const { orderId, products } of await run(database, listProductsSql, [merchantId, textArray(ids)]))
      sums.set(orderId, sumProducts(products.map(productOf), filters.get(orderId) ?? []));
  return orders.map(({ order, last }) => ({
    order: { ...order, products: sums.get(order.orderId) ?? order.products },
    last,
  }));
}

/** The ids of orders, in parts that have at most {@link mostProducts} products. */
function partsOf(orders: StoredOrder[]): string[][] {
  const parts: string[][] = [];
  let left = 0;
  for (const { order } of orders) {
    const part = parts.at(-1);
    left -= order.items.count;
    if (part && left >= 0) part.push(order.orderId);
    else {
      parts.push([order.orderId]);
      left = mostProducts - order.items.count;
    }
  }
  return parts;
}

function productOf([productId, sku, paidAmount, isCancelled, labels]: StoredProduct): OrderProduct {
  return { productId, sku: sku ?? '', paidAmount, isCancelled, labels: labels ?? [] };
}
