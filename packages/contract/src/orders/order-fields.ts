import type { Fields } from '../fields/field.ts';
import type { OrderHead, OrderItem } from './order.ts';

const identifier = { kind: 'text', required: true, minLength: 1, maxLength: 255 } as const;
const won = { kind: 'integer', required: true, min: 0 } as const;
const optionalDateTime = { kind: 'date_time', required: false, offset: 'optional' } as const;

/** The contract's table "Order". */
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

/** The contract's table "OrderItem". */
export const itemFields: Fields<OrderItem> = {
  product_id: identifier,
  product_name: identifier,
  quantity: { kind: 'integer', required: true, min: 1 },
  price: won,
  paid_amount: won,
  sku: { kind: 'text', required: false, minLength: 0, maxLength: 255, default: '' },
  cancelled_at: optionalDateTime,
};
