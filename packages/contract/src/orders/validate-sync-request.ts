import { describeFieldError, fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { localOffsetOf } from '../fields/time-zone.ts';
import { isContainer, isJsonObject, MAX_DEPTH } from '../json/nesting.ts';
import type { Order } from './order.ts';
import { readOrder } from './read-order.ts';
import { RequestErrors } from './request-errors.ts';
import { checkDepth, validateOrder, type OrderValidation } from './validate-order.ts';
import { cost, WorkBudget } from './work-budget.ts';

/** Orders of a request in canonical form: their number, and the text of a JSON array of them. */
export interface OrdersPart {
  orders: number;
  json: string;
}

/**
 * The result of a validation. The parts hold each `order_id` once, as it was sent last; `count` is the number of orders
 * in the request, with duplicates. `params` maps the path of each invalid field, such as `orders[3].items[0].quantity`,
 * to its error.
 */
export type SyncRequestValidation =
  | { kind: 'valid'; parts: OrdersPart[]; count: number }
  | { kind: 'invalid'; params: Record<string, string> }
  | { kind: 'too_many'; params: Record<string, string> };

/** Settings of a validation. */
export interface SyncRequestLimits {
  maxOrders: number;
  /** Maximum number of orders in a part. */
  maxOrdersPerPart: number;
  /** The IANA time zone of date-times without an offset. */
  timeZone: string;
}

/**
 * Validates the parsed body of an orders/sync request. All invalid fields are named, up to 10,000. A big request is
 * validated in slices of work, between which the event loop serves others; a small one in a single slice.
 * @throws RangeError when `timeZone` is unknown
 */
export async function validateSyncRequest(
  body: unknown,
  { maxOrders, maxOrdersPerPart, timeZone }: SyncRequestLimits,
): Promise<SyncRequestValidation> {
  const budget = new WorkBudget();
  const errors = new RequestErrors();
  const localOffset = localOffsetOf(timeZone, () => budget.spend(cost.offsetSearch));
  const validation: OrderValidation = { localOffset, errors, budget };
  if (!isJsonObject(body)) return invalid('body', fieldError('not_an_object'));
  const values = body.orders;
  if (!Array.isArray(values)) return invalid('orders', listError(values));
  if (values.length === 0) return invalid('orders', fieldError('no_orders'));
  if (values.length > maxOrders) {
    const error = fieldError('too_many_orders', { limit: maxOrders });
    return { kind: 'too_many', params: { orders: describeFieldError(error) } };
  }

  for (const name in body) {
    if (name !== 'orders' && isContainer(body[name]))
      await checkDepth(body[name], MAX_DEPTH - 1, 'body', validation);
    if (budget.spend(1)) await budget.pause();
  }
  const orders = new Map<string, Order>();
  for (let index = 0; index < values.length && !errors.overflowed; index++) {
    const value: unknown = values[index];
    const read = readOrder(value, localOffset);
    const order = read ?? (await validateOrder(value, `orders[${index}]`, validation));
    if (budget.spend(cost.fastRead * (1 + (read?.items.length ?? 0)))) await budget.pause();
    if (order !== undefined) orders.set(order.order_id, order);
  }
  if (errors.any) return { kind: 'invalid', params: errors.params };
  const parts: OrdersPart[] = [];
  const distinct = [...orders.values()];
  for (let start = 0; start < distinct.length; start += maxOrdersPerPart) {
    const part = distinct.slice(start, start + maxOrdersPerPart);
    parts.push({ orders: part.length, json: JSON.stringify(part) });
    if (budget.spend(cost.print * part.length)) await budget.pause();
  }
  return { kind: 'valid', parts, count: values.length };
}

function invalid(path: string, error: FieldError): SyncRequestValidation {
  return { kind: 'invalid', params: { [path]: describeFieldError(error) } };
}

function listError(value: unknown): FieldError {
  if (value === undefined) return fieldError('required');
  return fieldError(value === null ? 'null_not_allowed' : 'not_an_array');
}
