import type { SentOrder } from '../ledger/entries.ts';

/** A paid order of 30,000 won that was placed now, with the fields that a scenario cares about. */
export function makeOrder(fields: Partial<SentOrder> & Pick<SentOrder, 'order_id' | 'member_id'>): SentOrder {
  const placed = fields.order_date ?? new Date().toISOString();
  return {
    order_amount: 30_000,
    paid_amount: 30_000,
    shipping_amount: 0,
    order_date: placed,
    first_order: false,
    paid_at: placed,
    cancelled_at: null,
    returned_at: null,
    currency: null,
    updated_at: null,
    items: [],
    ...fields,
  };
}
