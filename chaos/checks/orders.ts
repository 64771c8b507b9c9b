import { groupBy } from '../ledger/group-by.ts';
import type { SentOrder } from '../ledger/entries.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import { openMemberNames } from '../model/erasures.ts';
import { allowedOrderStates } from '../model/order-states.ts';
import { isShownAs, sentFields, shownFields } from '../model/shown-orders.ts';
import type { ObservedOrder } from '../shop/observe-shop.ts';
import { forEachShop } from './check.ts';
import type { Check, CheckResult } from './check.ts';

/** Every accepted order is stored. */
export const ordersStored: Check = {
  name: 'orders-stored',
  promise: 'Every order of a request that was answered 202 is stored',
  check: (history) =>
    forEachShop(history, (shop) => {
      const { allowed, stored } = read(shop);
      const required = [...allowed.values()].filter(({ mayBeMissing }) => !mayBeMissing);
      const missing = required.filter(({ orderId }) => !stored.has(orderId));
      return {
        count: required.length,
        violations: missing.map(({ orderId }) => ({
          text: `order ${orderId} was accepted and is not stored`,
        })),
      };
    }),
};

/** Every stored order is in the state that was sent last. */
export const latestState: Check = {
  name: 'latest-state',
  promise: 'A stored order has the state that was sent last, or the one with the latest updated_at',
  check: (history) =>
    forEachShop(history, (shop) => {
      const { allowed, stored } = read(shop);
      const isSameMember = openMemberNames(shop);
      const violations = [...stored.values()].flatMap((found) => {
        const states = allowed.get(found.order_id)?.states ?? [];
        if (states.length === 0 || states.some((state) => isShownAs(state, found, isSameMember))) return [];
        const shown = states.map((state) => JSON.stringify(sentFields(state, state.member_id))).join(' or ');
        return [
          {
            text: `order ${found.order_id} is stored as ${JSON.stringify(shownFields(found))}, not ${shown}`,
          },
        ];
      });
      return { count: stored.size, violations };
    }),
};

/** Nothing is stored that was refused, or that nobody sent. */
export const nothingRefused: Check = {
  name: 'nothing-refused-stored',
  promise: 'Nothing of a request that was answered 4xx is stored',
  check: (history) =>
    forEachShop(history, (shop) => {
      const { allowed, stored } = read(shop);
      const unknown = [...stored.keys()].filter((id) => !allowed.has(id));
      const refused = shop.calls.filter(({ call, outcome }) => call === 'sync' && outcome === 'refused');
      return {
        count: refused.reduce((sum, { body }) => sum + idsOf(body).length, 0),
        violations: unknown.map((id) => ({
          text: `order ${id} is stored, and no request with it was accepted`,
        })),
      };
    }),
};

/** A request is stored completely or not at all. */
export const completeRequests: Check = {
  name: 'complete-requests',
  promise: 'A request is stored completely or not at all, whatever became of its answer',
  check: (history) => forEachShop(history, checkCompleteRequests),
};

function checkCompleteRequests(shop: ShopHistory): CheckResult {
  const stored = new Set(shop.observed<ObservedOrder>('orders').map(({ order_id: id }) => id));
  const syncs = shop.calls.filter(({ call }) => call === 'sync');
  const sentIn = groupBy(
    syncs.flatMap((call) => idsOf(call.body).map((id) => ({ id, call }))),
    ({ id }) => id,
  );
  const own = syncs
    .filter(({ outcome }) => outcome === 'unknown')
    // Orders that came in this request alone: others do not show whether it was stored.
    .map((call) => ({ call, ids: idsOf(call.body).filter((id) => sentIn.get(id)?.length === 1) }))
    .filter(({ ids }) => ids.length > 1);
  const violations = own.flatMap(({ call, ids }) => {
    const missing = ids.filter((id) => !stored.has(id));
    if (missing.length === 0 || missing.length === ids.length) return [];
    return [
      { text: `of the request ${call.id} ${ids.length - missing.length} of ${ids.length} orders are stored` },
    ];
  });
  return { count: own.length, violations };
}

const idsOf = (body: unknown) => [
  ...new Set((body as { orders: SentOrder[] }).orders.map((one) => one.order_id)),
];

function read(shop: ShopHistory) {
  return {
    allowed: allowedOrderStates(shop.calls),
    stored: new Map(shop.observed<ObservedOrder>('orders').map((one) => [one.order_id, one])),
  };
}
