import { randomUUID } from 'node:crypto';
import type { Order, OrderItem } from '@rewardhook/contract';

/** A time some hours ago, as the date of an order. */
export function hoursAgo(hours: number): string {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** Builds an item of an order as a merchant sends it. */
export function buildItem(overrides: Partial<OrderItem> = {}): OrderItem {
  return {
    product_id: 'tea-01',
    product_name: 'Green tea, 100 g',
    quantity: 2,
    price: 15_000,
    paid_amount: 30_000,
    sku: 'TEA-100',
    cancelled_at: null,
    ...overrides,
  };
}

/**
 * Builds a valid, paid order with a unique id as a merchant sends it: two products for 30,000 won, 3,000 won shipping.
 * Overrides are not validated.
 */
export function buildOrder(overrides: Partial<Order> = {}): Order {
  const now = new Date().toISOString();
  return {
    order_id: `order-${randomUUID()}`,
    member_id: `member-${randomUUID()}`,
    order_amount: 30_000,
    paid_amount: 33_000,
    shipping_amount: 3_000,
    order_date: now,
    first_order: false,
    paid_at: now,
    cancelled_at: null,
    returned_at: null,
    currency: null,
    updated_at: null,
    items: [buildItem()],
    ...overrides,
  };
}
