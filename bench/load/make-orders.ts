import type { Order } from '@rewardhook/contract';

/** Describes a set of orders: the same plan makes the same orders in every process. */
export interface OrdersPlan {
  /** Begins every order_id and member_id. */
  prefix: string;
  orders: number;
  /** The number of consecutive orders of one member. */
  ordersPerMember: number;
}

/** The member of the order with this index. */
export function memberOf({ prefix, ordersPerMember }: OrdersPlan, index: number): string {
  return `${prefix}-member-${Math.floor(index / ordersPerMember)}`;
}

/** Makes the orders `from` to `to` (exclusive) of a plan: paid, of 2 items, in the contract's canonical form. */
export function makeOrders(plan: OrdersPlan, from: number, to: number): Order[] {
  return Array.from({ length: to - from }, (_, offset) => makeOrder(plan, from + offset));
}

function makeOrder(plan: OrdersPlan, index: number): Order {
  const minute = String(index % 60).padStart(2, '0');
  const item = (number: number, price: number) => ({
    product_id: `P-${(index * 7 + number) % 1_000}`,
    product_name: `초록 tea no. ${(index * 7 + number) % 1_000}, 100 g`,
    quantity: number,
    price,
    paid_amount: price * number,
    sku: `TEA-${(index * 7 + number) % 1_000}`,
    cancelled_at: null,
  });
  const items = [item(1, 12_000), item(2, 9_500)];
  const amount = items.reduce((sum, { paid_amount }) => sum + paid_amount, 0);
  return {
    order_id: `${plan.prefix}-${String(index).padStart(9, '0')}`,
    member_id: memberOf(plan, index),
    order_amount: amount,
    paid_amount: amount + 3_000,
    shipping_amount: 3_000,
    order_date: `2026-03-14T10:${minute}:30+09:00`,
    first_order: false,
    paid_at: `2026-03-14T10:${minute}:45+09:00`,
    cancelled_at: null,
    returned_at: null,
    items,
  };
}
