import { isJsonObject } from '../fields/json-object.ts';
import { localOffsetOf } from '../fields/local-offset.ts';
import { describeFieldError, fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { MAX_DEPTH, isContainer } from '../fields/nesting.ts';
import { BadFields } from './bad-fields.ts';
import { checkDepth, validateOrder, type OrderValidation } from './validate-order.ts';
import type { Order } from './order.ts';
import { cost, WorkBudget } from './work-budget.ts';
import { readOrder } from './read-order.ts';

/**
 * `orders` holds each order_id once, as last sent; `count` is the number of orders in the request, duplicates
 * included. `params` maps the path of each bad field, such as `orders[3].items[0].quantity`, to its error.
 */
export type SyncRequestValidation =
  | { kind: 'valid'; orders: Order[]; count: number }
  | { kind: 'invalid'; params: Record<string, string> }
  | { kind: 'too_many'; params: Record<string, string> };

/** `timeZone`: the IANA name of the zone that counts for date-times without an offset. */
export interface SyncRequestLimits {
  maxOrders: number;
  timeZone: string;
}

/**
 * Judges the parsed body of an orders/sync request by the contract. All bad fields are named, up to 10,000. Big
 * requests are judged in slices between which the event loop turns; small ones in one go. Throws RangeError when
 * `timeZone` is unknown.
 */
export async function validateSyncRequest(
  body: unknown,
  { maxOrders, timeZone }: SyncRequestLimits,
): Promise<SyncRequestValidation> {
  const budget = new WorkBudget();
  const bad = new BadFields();
  const localOffset = localOffsetOf(timeZone, () => budget.spend(cost.offsetSearch));
  const validation: OrderValidation = { localOffset, bad, budget };
  if (!isJsonObject(body)) return { kind: 'invalid', params: describe('body', fieldError('not_an_object')) };
  const values = body.orders;
  if (!Array.isArray(values)) return { kind: 'invalid', params: describe('orders', listError(values)) };
  if (values.length === 0) return { kind: 'invalid', params: describe('orders', fieldError('no_orders')) };
  if (values.length > maxOrders) {
    const error = fieldError('too_many_orders', { limit: maxOrders });
    return { kind: 'too_many', params: describe('orders', error) };
  }

  for (const name in body) {
    if (name !== 'orders' && isContainer(body[name]))
      await checkDepth(body[name], MAX_DEPTH - 1, 'body', validation);
    if (budget.spend(1)) await budget.pause();
  }
  const orders = new Map<string, Order>();
  for (let index = 0; index < values.length && !bad.overflowed; index++) {
    const value: unknown = values[index];
    const read = readOrder(value, localOffset);
    const order = read ?? (await validateOrder(value, `orders[${index}]`, validation));
    if (budget.spend(cost.quickRead * (1 + (read?.items.length ?? 0)))) await budget.pause();
    if (order !== undefined) orders.set(order.order_id, order);
  }
  if (bad.any) return { kind: 'invalid', params: bad.params };
  return { kind: 'valid', orders: [...orders.values()], count: values.length };
}

function describe(path: string, error: FieldError): Record<string, string> {
  return { [path]: describeFieldError(error) };
}

function listError(value: unknown): FieldError {
  if (value === undefined) return fieldError('required');
  return fieldError(value === null ? 'null_not_allowed' : 'not_an_array');
}
