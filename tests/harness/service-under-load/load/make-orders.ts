import type { Order } from '@rewardhook/contract';
import { buildItem, buildOrder } from '@rewardhook/local-stack';
import type { Random } from '../random.ts';

/** The members with a referrer, the same for every merchant. */
export const referees = Array.from({ length: 40 }, (_, index) => `referee-${index + 1}`);

/** Members who are merged into referees while the load runs, by the surviving one. Their orders are sent with the former id for good. */
export const formerIdOf = (referee: string) => `former-${referee}`;

/** A few referrers for all of them. */
export const referrers = Array.from({ length: 7 }, (_, index) => `referrer-${index}`);

/** The first referrer of a referee. */
export const referrerOf = (referee: string) => `referrer-${Number(referee.split('-')[1]) % 7}`;

/** A source of orders. No other source has its order ids. */
export interface OrderSource {
  /** The next orders: most are new, some were sent before and are changed, a few occur twice. */
  next(count: number): Order[];
}

const monthMs = 30 * 86_400_000;

/**
 * Opens a source. Two sources of the same name make the same order ids: used for different merchants, they show that
 * merchants are isolated.
 */
export function openOrderSource(name: string, random: Random): OrderSource {
  const sent: Order[] = [];
  const start = Date.now() - monthMs;
  const time = () => new Date(start + random.integer(0, monthMs)).toISOString();

  const beforeTheLoad = new Date(start).toISOString();
  const later = new Date(Date.now() + monthMs).toISOString();
  const create = (): Order => {
    const ofReferee = random.chance(0.15);
    const referee = random.pick(referees);
    const date = time();
    const order = buildOrder({
      order_id: `${name}-${sent.length + 1}`,
      member_id: !ofReferee
        ? `member-${random.integer(1, 500)}`
        : random.chance(0.2)
          ? formerIdOf(referee)
          : referee,
      ...amounts(random),
      order_date: date,
      first_order: random.chance(0.3),
      paid_at: random.chance(0.7) ? date : random.pick([null, null, null, later]),
      currency: random.chance(0.05) ? 'USD' : null,
      items: Array.from({ length: random.integer(0, 3) }, (_, index) =>
        buildItem({
          product_id: `p-${index}`,
          product_name: random.pick(['Green tea', '녹차 100 g', 'Thé «vert» 🍵', '"quoted" \\ back']),
        }),
      ),
    });
    sent.push(order);
    return order;
  };
  const change = (index: number): Order => {
    const current = sent[index] as Order;
    const changes: (() => Partial<Order>)[] = [
      () => ({ paid_at: time() }),
      () => ({ paid_at: later }),
      () => ({ cancelled_at: time() }),
      () => ({ returned_at: time() }),
      () => ({ cancelled_at: null, returned_at: null }),
      () => ({ items: current.items.map((item) => ({ ...item, cancelled_at: time() })) }),
      () => amounts(random),
    ];
    // Sent late, as by another server of the shop: it is dropped, and the order keeps its state.
    if (random.chance(0.05)) return { ...current, ...random.pick(changes)(), updated_at: beforeTheLoad };
    const changed = { ...current, ...random.pick(changes)() };
    sent[index] = changed;
    return changed;
  };
  const any = () => {
    if (sent.length > 0 && random.chance(0.2)) return change(random.integer(0, sent.length - 1));
    const order = create();
    // Twice in one request, the second time in another state: the last one wins.
    return random.chance(0.05) ? [order, change(sent.length - 1)] : order;
  };
  return { next: (count) => Array.from({ length: count }, any).flat() };
}

function amounts(random: Random): Pick<Order, 'order_amount' | 'paid_amount' | 'shipping_amount'> {
  const order_amount = random.integer(0, 500_000);
  const shipping_amount = random.pick([0, 2_500, 3_000]);
  return { order_amount, paid_amount: order_amount + shipping_amount, shipping_amount };
}
