import type { Order } from '@rewardhook/contract';

/** What the API has accepted from a merchant: every request for it was answered with success. */
export interface AcceptedData {
  /** The newest accepted state of each order. */
  orders: Map<string, Order>;
  /** Referee → referrer. */
  links: Map<string, string>;
  /** Rewards that a person gave the referrer of a referee, by the `Idempotency-Key` of the request. */
  grants: Map<string, Grant>;
  /** How often a person gave a referee another referrer. */
  moves: number;
  /** Merged member → surviving member, who is a referee. */
  merges: Map<string, string>;
}

/** A reward by hand. */
export interface Grant {
  referee: string;
  /** Who gets it: the referrer of that moment. */
  referrer: string;
  orderId: string;
  /** In points. */
  amount: number;
}

/** What an order earns for each role under the rule of the load (rule.json), in points. */
export function amountsOf({ paid_amount, shipping_amount }: Order): { referee: number; referrer: number } {
  return { referee: Math.floor((paid_amount - shipping_amount) / 10), referrer: 3_000 };
}

/**
 * Returns the order that earns rewards when its member is a referee: the oldest of those that count as the first, the marked ones and the
 * earliest, and earn something. A `paid_at` in the future does not count yet: the load sends only such that are not reached while
 * it runs. In a currency other than won an order earns nothing, and no later order that is not marked takes its place.
 */
export function rewardedOrder({ orders, merges }: AcceptedData, memberId: string): Order | undefined {
  const counting = [...orders.values()].filter(
    (order) =>
      (merges.get(order.member_id) ?? order.member_id) === memberId &&
      order.paid_at &&
      Date.parse(order.paid_at) <= Date.now() &&
      !order.cancelled_at &&
      !order.returned_at &&
      (order.items.length === 0 || order.items.some(({ cancelled_at }) => !cancelled_at)),
  );
  const key = ({ order_date, order_id }: Order) => `${order_date} ${order_id}`;
  const [earliest] = counting.map(({ order_date }) => order_date).toSorted();
  return counting
    .filter((order) => order.first_order || order.order_date === earliest)
    .filter(
      ({ currency, paid_amount, shipping_amount }) => currency === null && paid_amount > shipping_amount,
    )
    .toSorted((a, b) => (key(a) < key(b) ? -1 : 1))[0];
}
