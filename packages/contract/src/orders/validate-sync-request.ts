import { describeFieldError, fieldError } from '../fields/field-errors.ts';
import type { FieldError } from '../fields/field-errors.ts';
import { localOffsetOf } from '../fields/time-zone.ts';
import { UnknownFields } from '../fields/unknown-fields.ts';
import { isContainer, isJsonObject, MAX_DEPTH } from '../json/nesting.ts';
import type { OrdersPart } from './orders-part.ts';
import { PrintedOrders } from './printed-orders.ts';
import { readOrder, readOrderId } from './read-order.ts';
import { RequestErrors } from '../fields/request-errors.ts';
import { SlowSteps } from './slow-steps.ts';
import { requestLimits } from './request-limits.ts';
import { checkDepth, itemsOf, validateOrder, type OrderValidation } from './validate-order.ts';

/**
 * The result of a validation. The parts hold each `order_id` once, as it was sent last; `count` is the number of orders
 * in the request, with duplicates. `params` maps the path of each invalid field, such as `orders[3].items[0].quantity`,
 * to its error, and `warnings` the path of each unknown field. `orderIds` maps the path of each of their orders, such as
 * `orders[3]`, to its `order_id`, where that is valid.
 */
export type SyncRequestValidation =
  | { kind: 'valid'; parts: OrdersPart[]; count: number; warnings?: RequestWarnings }
  | { kind: 'invalid'; params: Record<string, string>; orderIds?: Record<string, string> };

/** What is probably a mistake in a request that was accepted. */
export interface RequestWarnings {
  warnings: Record<string, string>;
  orderIds: Record<string, string>;
}

/** Settings of a validation. */
export interface SyncRequestLimits {
  /** Maximum number of orders in a part. */
  maxOrdersPerPart: number;
  /** The IANA time zone of date-times without an offset. */
  timeZone: string;
  /** Whether unknown fields are errors. Default: they are ignored, with a warning. */
  strict?: boolean;
}

/**
 * Validates the parsed body of an orders/sync request, and prints its orders in canonical form. All invalid fields are named,
 * up to 1,000.
 * @throws RangeError when `timeZone` is unknown; TooManySlowSteps when `slowSteps` are used up
 */
export function validateSyncRequest(
  body: unknown,
  { maxOrdersPerPart, timeZone, strict = false }: SyncRequestLimits,
  slowSteps = new SlowSteps(),
): SyncRequestValidation {
  const countSlowStep = () => slowSteps.count();
  const errors = new RequestErrors(countSlowStep);
  const localOffset = localOffsetOf(timeZone);
  const unknownFields = new UnknownFields(strict ? errors : undefined);
  const validation: OrderValidation = { localOffset, errors, unknownFields, slowSteps };
  if (!isJsonObject(body)) return invalid('body', fieldError('not_an_object'));
  const values = body.orders;
  if (!Array.isArray(values)) return invalid('orders', listError(values));
  if (values.length === 0) return invalid('orders', fieldError('no_orders'));
  const exceeded = exceededLimits(values);
  if (exceeded) return { kind: 'invalid', params: exceeded, orderIds: orderIdsOf(values, exceeded) };

  unknownFields.check(body, requestFields, '');
  for (const name in body) {
    if (name !== 'orders' && isContainer(body[name])) checkDepth(body[name], MAX_DEPTH - 1, 'body', errors);
  }
  const orders = printOrders(values, validation);
  if (errors.any) {
    const { params } = errors;
    return { kind: 'invalid', params, orderIds: orderIdsOf(values, params) };
  }

  const parts = orders.divide(maxOrdersPerPart);
  const { warnings } = unknownFields;
  const found = warnings && { warnings: { warnings, orderIds: orderIdsOf(values, warnings) } };
  return { kind: 'valid', parts, count: values.length, ...found };
}

/** The limits of size that the orders exceed, by path; undefined when they exceed none. Such orders are not validated. */
function exceededLimits(values: readonly unknown[]): Record<string, string> | undefined {
  if (values.length > requestLimits.orders)
    return { orders: describeFieldError(fieldError('too_many_orders', { limit: requestLimits.orders })) };
  const counts = values.map((value) => itemsOf(value).length);
  const limit = requestLimits.productsOfOrder;
  const large = [...counts.entries()].filter(([, count]) => count > limit);
  const params = large.map(([index]) => [
    `orders[${index}].items`,
    describeFieldError(fieldError('too_many_products_of_order', { limit })),
  ]);
  if (counts.reduce((sum, count) => sum + count, 0) > requestLimits.products)
    params.unshift([
      'orders',
      describeFieldError(fieldError('too_many_products', { limit: requestLimits.products })),
    ]);
  return params.length === 0 ? undefined : Object.fromEntries(params);
}

/** The fields of the body. */
const requestFields = { orders: true };

const orderPath = /^orders\[(\d+)\]/;

/** The valid ids of the orders that are named in paths, by the path of the order. */
function orderIdsOf(values: readonly unknown[], paths: object): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const path of Object.keys(paths)) {
    const [order, index] = orderPath.exec(path) ?? [];
    if (order === undefined || Object.hasOwn(ids, order)) continue;
    const value = values[Number(index)];
    const id = isJsonObject(value) ? readOrderId(value.order_id) : undefined;
    if (id !== undefined) ids[order] = id;
  }
  return ids;
}

/** Validates the orders, until there are more errors than are named. */
function printOrders(values: unknown[], validation: OrderValidation): PrintedOrders {
  const { localOffset, errors } = validation;
  const orders = new PrintedOrders();
  for (let index = 0; index < values.length && !errors.overflowed; index++) {
    const value: unknown = values[index];
    const order = readOrder(value, localOffset) ?? validateOrder(value, `orders[${index}]`, validation);
    if (order !== undefined) orders.add(order);
  }
  return orders;
}

function invalid(path: string, error: FieldError): SyncRequestValidation {
  return { kind: 'invalid', params: { [path]: describeFieldError(error) } };
}

function listError(value: unknown): FieldError {
  if (value === undefined) return fieldError('required');
  return fieldError(value === null ? 'null_not_allowed' : 'not_an_array');
}
