import type { Order } from '@rewardhook/contract';

/** What the API has accepted from a merchant: every request for it was answered with success. */
export interface AcceptedData {
  /** The newest accepted state of each order. */
  orders: Map<string, Order>;
  /** Referee → referrer. */
  links: Map<string, string>;
}

/** The order of a referee that earns the rewards under the default program: the earliest one that qualifies. */
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
