import type { Fields } from '../fields/field.ts';

/** An order item in canonical form: defaults filled in, unknown fields dropped. Amounts are integers of won. */
export interface OrderItem {
  product_id: string;
  product_name: string;
  quantity: number;
  price: number;
  paid_amount: number;
  sku: string;
  cancelled_at: string | null;
}

/**
 * An order in canonical form: defaults filled in, unknown fields dropped. Amounts are integers of won; date-times are
 * ISO 8601 with an offset and at most 6 fraction digits, as `readDateTime` returns them.
 */
export interface Order {
  order_id: string;
  member_id: string;
  order_amount: number;
  paid_amount: number;
  shipping_amount: number;
  order_date: string;
  first_order: boolean;
  paid_at: string | null;
  cancelled_at: string | null;
  returned_at: string | null;
  items: OrderItem[];
}

/** An order in canonical form whose items are not validated yet. */
export interface OrderHead extends Omit<Order, 'items'> {
  items: readonly unknown[];
}

const identifier = { kind: 'text', required: true, minLength: 1, maxLength: 255 } as const;
const won = { kind: 'integer', required: true, min: 0 } as const;
const optionalDateTime = { kind: 'date_time', required: false, offset: 'optional' } as const;

/** The fields of an order: the table "Order" of the contract. */
export const orderFields: Fields<OrderHead> = {
  order_id: identifier,
  member_id: identifier,
  order_amount: won,
  paid_amount: won,
  shipping_amount: won,
  order_date: { kind: 'date_time', required: true, offset: 'required' },
  first_order: { kind: 'boolean', required: false, default: false },
  paid_at: optionalDateTime,
  cancelled_at: optionalDateTime,
  returned_at: optionalDateTime,
  items: { kind: 'list', required: false },
};

/** The fields of an order item: the table "OrderItem" of the contract. */
export const itemFields: Fields<OrderItem> = {
  product_id: identifier,
  product_name: identifier,
  quantity: { kind: 'integer', required: true, min: 1 },
  price: won,
  paid_amount: won,
  sku: { kind: 'text', required: false, minLength: 0, maxLength: 255, default: '' },
  cancelled_at: optionalDateTime,
};
