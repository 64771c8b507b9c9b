import Joi from 'joi';
import { boolean, dateTime, integer, optionalDateTime, text } from '../fields/request-fields.ts';
import type { Fields } from '../fields/validate-fields.ts';
import { readCurrency } from './currency.ts';
import { mostLabels, readLabels } from './labels.ts';
import { readUpdatedAt } from './updated-at.ts';

/** An order item in canonical form: defaults filled in, unknown fields dropped. Amounts are integers of won. */
export interface OrderItem {
  product_id: string;
  product_name: string;
  quantity: number;
  price: number;
  paid_amount: number;
  sku: string;
  cancelled_at: string | null;
  /** Folded; absent for none. */
  labels?: string[];
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
  /** ISO 4217, or the folded text that was sent; null for won. Amounts in another currency are in its units, as sent. */
  currency: string | null;
  /** When the merchant changed the order to this state; null when they do not say. */
  updated_at: string | null;
  /** Folded; absent for none. */
  labels?: string[];
  items: OrderItem[];
}

/** An order in canonical form whose items are not validated yet. */
export interface OrderHead extends Omit<Order, 'items'> {
  items: readonly unknown[];
}

const identifier = () => text(1, 255).required();
/** What is wrong with them is found apart, for each label (`validateOrders`). */
const labels = (most: number) =>
  Joi.any()
    .custom((value: unknown) => readLabels(value, most).labels)
    .meta({
      schema: {
        type: ['array', 'string', 'null'],
        items: { type: 'string', minLength: 1, maxLength: 64 },
        maxItems: most,
      },
    });
const won = () => integer(0).required();

/** The fields of an order: the table "Order" of the contract. Its items are validated one by one, see `itemFields`. */
export const orderFields: Fields<OrderHead> = {
  order_id: identifier(),
  member_id: identifier(),
  order_amount: won(),
  paid_amount: won(),
  shipping_amount: won(),
  order_date: dateTime().required(),
  first_order: boolean().default(false),
  paid_at: optionalDateTime(),
  cancelled_at: optionalDateTime(),
  returned_at: optionalDateTime(),
  currency: Joi.any()
    .custom((value: unknown) => readCurrency(value).currency)
    .default(null)
    .meta({ schema: { type: ['string', 'null'] } }),
  updated_at: Joi.any()
    .custom((value: unknown, { error, prefs }) => {
      const read = readUpdatedAt(value);
      if (read === null || typeof read === 'string') return read;
      return prefs.context?.['strict'] ? error(read.ignored) : null;
    })
    .default(null)
    .meta({ schema: { type: ['string', 'null'] } }),
  labels: labels(mostLabels.ofOrder),
  items: Joi.array().invalid(null).default([]),
};

/** The fields of an order item: the table "OrderItem" of the contract. */
export const itemFields: Fields<OrderItem> = {
  product_id: identifier(),
  product_name: identifier(),
  quantity: integer(1).required(),
  price: won(),
  paid_amount: won(),
  sku: text(0, 255).default(''),
  cancelled_at: optionalDateTime(),
  labels: labels(mostLabels.ofProduct),
};
