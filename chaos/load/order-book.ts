import type { Order } from '@rewardhook/contract';

/** What a shop has been promised: everything in it was answered with success. */
export interface OrderBook {
  /** The newest accepted state of each order. */
  orders: Map<string, Order>;
  /** Referee → referrer. */
  links: Map<string, string>;
}

/** The order of a referee that the rewards are due for, under the default program: the earliest that counts. */
export function firstPaidOrder(orders: Iterable<Order>, memberId: string): Order | undefined {
  const counting = [...orders].filter(
    (order) =>
      order.member_id === memberId &&
      order.paid_at &&
      !order.cancelled_at &&
      !order.returned_at &&
      (order.items.length === 0 || order.items.some(({ cancelled_at }) => !cancelled_at)),
  );
  const key = ({ order_date, order_id }: Order) => `${order_date} ${order_id}`;
  return counting.reduce<Order | undefined>(
    (first, order) => (first && key(first) < key(order) ? first : order),
    undefined,
  );
}
