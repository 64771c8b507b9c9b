import type { History, ShopHistory } from '../ledger/read-history.ts';
import { eventOf } from '../ledger/received-event.ts';
import type {
  ObservedDelivery,
  ObservedEvent,
  ObservedOrder,
  ObservedReferral,
  ObservedReward,
} from '../shop/observe-shop.ts';
import type { Check, CheckResult, Violation } from './check.ts';

/** Shops do not meet. */
export const shopsIsolated: Check = {
  name: 'shops-isolated',
  promise:
    'No reward, referral, event or delivery belongs to two shops, and a webhook gets events of its own shop only',
  check({ shops }) {
    const owners = new Map<string, string>();
    const violations: Violation[] = [];
    for (const shop of shops)
      for (const id of idsOf(shop)) {
        const owner = owners.get(id);
        if (owner === undefined) owners.set(id, shop.shop);
        else if (owner !== shop.shop)
          violations.push({ shop: shop.shop, text: `${id} is one of ${owner} too` });
      }
    let received = 0;
    for (const shop of shops)
      for (const id of shop.received.map((one) => eventOf(one).id)) {
        received += 1;
        const owner = owners.get(id);
        if (owner !== undefined && owner !== shop.shop)
          violations.push({ shop: shop.shop, text: `a webhook got ${id}, an event of ${owner}` });
      }
    return { count: owners.size + received, violations };
  },
};

/** Ids that the service has made. Those of orders and members are the shop's. */
function idsOf(shop: ShopHistory): Set<string> {
  return new Set([
    ...shop.observed<ObservedReward>('rewards').map(({ id }) => id),
    ...shop.observed<ObservedReferral>('referrals').map(({ id }) => id),
    ...shop.observed<ObservedEvent>('events').map(({ id }) => id),
    ...shop.observed<ObservedDelivery>('deliveries').map(({ id }) => id),
  ]);
}

/** A shop with much to do does not hold up the others. */
export const smallShopNotDelayed: Check = {
  name: 'small-shop-not-delayed',
  promise: 'An order of a shop with nothing waiting is stored before most of what another shop has waiting',
  check(history) {
    const results = history.shops.flatMap(({ acts }) =>
      acts
        .filter(({ act }) => act === 'wait in line')
        .map(({ until, details }) => checkLine(history, until, details)),
    );
    return {
      count: results.reduce((sum, { count }) => sum + count, 0),
      violations: results.flatMap(({ violations }) => violations),
    };
  },
};

function checkLine({ shops }: History, releasedAt: number, details: Record<string, unknown>): CheckResult {
  const { large, prefix, small, orderId } = details as Record<string, string>;
  const ordersOf = (name: string | undefined) =>
    shops.find(({ shop }) => shop === name)?.observed<ObservedOrder>('orders') ?? [];
  const own = ordersOf(small).find(({ order_id: id }) => id === orderId);
  if (!own) return { count: 0, violations: [] };
  // `created_at` is when the transaction began that stored the order: of what was held, before.
  const waited = ordersOf(large)
    .filter(({ order_id: id }) => id.startsWith(prefix ?? ''))
    .map(({ created_at: at }) => Date.parse(at))
    .filter((at) => at > releasedAt);
  const earlier = waited.filter((at) => at < Date.parse(own.created_at)).length;
  const isDelayed = waited.length === 0 || earlier > waited.length / 2;
  const text = `${earlier} of ${waited.length} waiting orders of ${large} were stored before the one of ${small}`;
  return { count: waited.length, violations: isDelayed ? [{ text }] : [] };
}
