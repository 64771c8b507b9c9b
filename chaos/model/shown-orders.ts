import type { SentOrder } from '../ledger/entries.ts';
import type { ObservedOrder } from '../shop/observe-shop.ts';

/** The fields of an order that the list of orders shows as they were sent. */
interface OrderFields {
  member: string;
  amounts: number[];
  dates: (number | null)[];
  firstOrder: boolean;
  currency: string;
  items: number;
  allCancelled: boolean;
}

/** The fields of a state, under the id that its member has now. */
export function sentFields(state: SentOrder, member: string): OrderFields {
  const { items } = state;
  return {
    ...common(state),
    member,
    // Won is read back by its code.
    currency: state.currency ?? 'KRW',
    items: items.length,
    allCancelled: items.length > 0 && items.every(({ cancelled_at }) => cancelled_at !== null),
  };
}

export function shownFields(found: ObservedOrder): OrderFields {
  return {
    ...common(found),
    member: found.member_id,
    currency: found.currency ?? 'KRW',
    items: found.items_count,
    allCancelled: found.every_product_cancelled,
  };
}

function common(order: SentOrder | ObservedOrder) {
  const time = (text: string | null) => (text === null ? null : Date.parse(text));
  return {
    amounts: [order.order_amount, order.paid_amount, order.shipping_amount],
    dates: [order.order_date, order.paid_at, order.cancelled_at, order.returned_at].map(time),
    firstOrder: order.first_order,
  };
}

/** Whether an order is shown in a state that was sent. `isSameMember` says whether one id can stand for the other. */
export function isShownAs(
  state: SentOrder,
  found: ObservedOrder,
  isSameMember: (sent: string, shown: string) => boolean,
): boolean {
  if (!isSameMember(state.member_id, found.member_id)) return false;
  const [sent, is] = [sentFields(state, found.member_id), shownFields(found)];
  return JSON.stringify(sortKeys(sent)) === JSON.stringify(sortKeys(is));
}

const sortKeys = (value: OrderFields) => Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
