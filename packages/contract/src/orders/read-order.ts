import { compileReaders } from '../fields/readers.ts';
import type { LocalOffset } from '../fields/time-zone.ts';
import { isJsonObject } from '../json/nesting.ts';
import { itemFields, orderFields } from './order.ts';
import type { Order, OrderHead, OrderItem } from './order.ts';

const head = compileReaders(orderFields);
const item = compileReaders(itemFields);

/** The id of an order; undefined when it is not valid. */
export const readOrderId = (value: unknown): string | undefined => head.order_id(value, () => 0);

/** Orders with more items are validated by `validateOrder`. */
export const MAX_ITEMS_AT_ONCE = 100;

/**
 * The canonical form of a valid order, or undefined when the order must be validated in full by `validateOrder`: it may
 * be invalid, has very many items, or has unknown fields.
 *
 * The rules are in the tables of fields. The functions below name each field because V8 gives all objects of one literal
 * the same shape, which is three times as fast as a loop over the table.
 */
export function readOrder(value: unknown, localOffset: LocalOffset): Order | undefined {
  const order = readOrderHead(value, localOffset);
  if (order === undefined || order.items.length > MAX_ITEMS_AT_ONCE) return undefined;
  if (hasUnknownFields(value as object, orderFields)) return undefined;
  const items: OrderItem[] = [];
  for (const itemValue of order.items) {
    const read = readItem(itemValue, localOffset);
    if (read === undefined || hasUnknownFields(itemValue as object, itemFields)) return undefined;
    items.push(read);
  }
  return completeOrder(order, items);
}

/** The canonical fields of a valid order, with the items as they were sent; undefined when Joi would refuse it. */
export function readOrderHead(value: unknown, localOffset: LocalOffset): OrderHead | undefined {
  if (!isJsonObject(value)) return undefined;
  const order_id = head.order_id(value.order_id, localOffset);
  if (order_id === undefined) return undefined;
  const member_id = head.member_id(value.member_id, localOffset);
  if (member_id === undefined) return undefined;
  const order_amount = head.order_amount(value.order_amount, localOffset);
  if (order_amount === undefined) return undefined;
  const paid_amount = head.paid_amount(value.paid_amount, localOffset);
  if (paid_amount === undefined) return undefined;
  const shipping_amount = head.shipping_amount(value.shipping_amount, localOffset);
  if (shipping_amount === undefined) return undefined;
  const order_date = head.order_date(value.order_date, localOffset);
  if (order_date === undefined) return undefined;
  const first_order = head.first_order(value.first_order, localOffset);
  if (first_order === undefined) return undefined;
  const paid_at = head.paid_at(value.paid_at, localOffset);
  if (paid_at === undefined) return undefined;
  const cancelled_at = head.cancelled_at(value.cancelled_at, localOffset);
  if (cancelled_at === undefined) return undefined;
  const returned_at = head.returned_at(value.returned_at, localOffset);
  if (returned_at === undefined) return undefined;
  const items = head.items(value.items, localOffset);
  if (items === undefined) return undefined;
  return {
    order_id,
    member_id,
    order_amount,
    paid_amount,
    shipping_amount,
    order_date,
    first_order,
    paid_at,
    cancelled_at,
    returned_at,
    items,
  };
}

/** The canonical form of a valid item; undefined when Joi would refuse it. */
export function readItem(value: unknown, localOffset: LocalOffset): OrderItem | undefined {
  if (!isJsonObject(value)) return undefined;
  const product_id = item.product_id(value.product_id, localOffset);
  if (product_id === undefined) return undefined;
  const product_name = item.product_name(value.product_name, localOffset);
  if (product_name === undefined) return undefined;
  const quantity = item.quantity(value.quantity, localOffset);
  if (quantity === undefined) return undefined;
  const price = item.price(value.price, localOffset);
  if (price === undefined) return undefined;
  const paid_amount = item.paid_amount(value.paid_amount, localOffset);
  if (paid_amount === undefined) return undefined;
  const sku = item.sku(value.sku, localOffset);
  if (sku === undefined) return undefined;
  const cancelled_at = item.cancelled_at(value.cancelled_at, localOffset);
  if (cancelled_at === undefined) return undefined;
  return { product_id, product_name, quantity, price, paid_amount, sku, cancelled_at };
}

/** Puts the validated items into an order. It changes the order instead of copying it, to save time. */
export function completeOrder(order: OrderHead, items: OrderItem[]): Order {
  order.items = items;
  return order as Order;
}

/** Whether an object has a field that is not in the table. */
function hasUnknownFields(value: object, fields: object): boolean {
  for (const name in value) if (!Object.hasOwn(fields, name)) return true;
  return false;
}
