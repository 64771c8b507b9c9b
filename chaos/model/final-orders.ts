import type { SentOrder } from '../ledger/entries.ts';
import { groupBy } from '../ledger/group-by.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import type { ObservedOrder } from '../shop/observe-shop.ts';
import { aliasesOf } from './aliases.ts';
import { isErasedId, openMemberNames } from './erasures.ts';
import { allowedOrderStates } from './order-states.ts';
import { isShownAs } from './shown-orders.ts';

/** What a state of an order is worth. */
export interface Worth {
  /** What was paid for what is not cancelled, in won, shipping included. */
  paidNow: number;
  paidWithoutShipping: number;
  /** As a whole, or all of its products. */
  isCancelled: boolean;
}

/** An order that is stored, in the state that was sent. */
export interface FinalOrder extends Worth {
  orderId: string;
  /** Of a merged member the survivor; of an erased one the id that replaced theirs. */
  memberId: string;
  /** Milliseconds since 1970. */
  orderDate: number;
  paidAt: number | null;
  returnedAt: string | null;
  currency: string | null;
  isMarkedFirst: boolean;
  /** When its state was sent, and when the first of its states was. */
  sentAt: number;
  firstSentAt: number;
  /** All states that it may have had. */
  earlier: (Worth & { sent: SentOrder; sentAt: number })[];
}

/** The orders of a shop that are stored, by id. Of several states that can be the stored one, the one that was read back. */
export function finalOrders(shop: ShopHistory): Map<string, FinalOrder> {
  const aliases = aliasesOf(shop);
  const isSameMember = openMemberNames(shop);
  const sent = groupBy(
    shop.calls
      .filter(({ call, outcome }) => call === 'sync' && outcome !== 'refused')
      .flatMap(({ body, sentAt }) =>
        (body as { orders: SentOrder[] }).orders.map((state) => ({ state, sentAt })),
      ),
    ({ state }) => state.order_id,
  );
  const allowed = allowedOrderStates(shop.calls);
  return new Map(
    shop.observed<ObservedOrder>('orders').flatMap((found) => {
      const all = sent.get(found.order_id) ?? [];
      const states = allowed.get(found.order_id)?.states ?? [];
      const state = states.find((one) => isShownAs(one, found, isSameMember)) ?? states[0];
      // An order that nobody sent is the violation of another check.
      if (!state) return [];
      const order: FinalOrder = {
        ...worthOf(state),
        orderId: state.order_id,
        memberId: isErasedId(found.member_id)
          ? found.member_id
          : (aliases.get(state.member_id) ?? state.member_id),
        orderDate: Date.parse(state.order_date),
        paidAt: state.paid_at === null ? null : Date.parse(state.paid_at),
        returnedAt: state.returned_at,
        currency: state.currency === 'KRW' ? null : state.currency,
        isMarkedFirst: state.first_order,
        sentAt: all.find((one) => one.state === state)?.sentAt ?? 0,
        firstSentAt: Math.min(...all.map(({ sentAt }) => sentAt)),
        earlier: all.map((one) => ({ ...worthOf(one.state), sent: one.state, sentAt: one.sentAt })),
      };
      return [[order.orderId, order] as const];
    }),
  );
}

/**
 * After docs/rewards.md: with cancelled products, the smaller of `paid_amount` and what was paid for the other products plus shipping.
 */
export function worthOf({
  paid_amount: paid,
  shipping_amount: shipping,
  cancelled_at,
  items,
}: SentOrder): Worth {
  const rest = items.filter((item) => item.cancelled_at === null);
  const paidForRest = rest.reduce((sum, item) => sum + item.paid_amount, 0);
  const paidNow = rest.length === items.length ? paid : Math.min(paid, paidForRest + shipping);
  return {
    paidNow,
    paidWithoutShipping: paidNow - shipping,
    isCancelled: cancelled_at !== null || (items.length > 0 && rest.length === 0),
  };
}
