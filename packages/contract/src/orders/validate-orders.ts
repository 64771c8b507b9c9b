import { setImmediate } from 'node:timers/promises';
import { fieldError } from '../fields/field-errors.ts';
import type { FieldError, FieldErrors, FieldWarnings } from '../fields/field-errors.ts';
import { escapeInvisible } from '../fields/invisible.ts';
import { RequestErrors } from '../fields/request-errors.ts';
import { textProblem } from '../fields/text.ts';
import { localOffsetOf } from '../fields/time-zone.ts';
import { RequestWarnings } from '../fields/request-warnings.ts';
import { compileFields } from '../fields/validate-fields.ts';
import type { FieldsResult } from '../fields/validate-fields.ts';
import { isJsonObject } from '../json/nesting.ts';
import { isPlaceholderId } from '../members/placeholder-id.ts';
import { readCurrency } from './currency.ts';
import { mostLabels, readLabels } from './labels.ts';
import { itemFields, orderFields } from './order.ts';
import { warnOfDates, warnOfIgnoredTimes } from './order-dates.ts';
import { replacesEarlier } from './updated-at.ts';
import type { OrderItem } from './order.ts';
import { requestLimits } from './request-limits.ts';

/**
 * The result of a validation. `errors` maps the path of each invalid field, such as `orders[3].items[0].quantity`, to its error, and
 * `warnings` the path of each unknown field, and of each value that counts as absent. `orderIds` maps the path of each of their orders,
 * such as `orders[3]`, to its `order_id`, where that is valid.
 */
export type OrdersValidation =
  | {
      kind: 'valid';
      /** Number of orders in the request, with those that it has twice. */
      accepted: number;
      /** The orders in canonical form, as a JSON array. Each `order_id` is there once, as it was sent last, or in the state with a newer `updated_at`. */
      orders: { count: number; json: string };
      warnings?: { found: FieldWarnings; orderIds: Record<string, string> };
    }
  | { kind: 'invalid'; errors: FieldErrors; orderIds: Record<string, string> };

/** Settings of a validation. */
export interface ValidationOptions {
  /** The IANA time zone of date-times without an offset. */
  timeZone: string;
  /** Whether unknown fields, and values that would count as absent, are errors. Default: they are ignored, with a warning. */
  strict?: boolean;
}

const validateHead = compileFields(orderFields);
const validateItem = compileFields(itemFields);

/** The fields of the body. */
const requestFields = { orders: true };

/** Work for this long is followed by a turn of the event loop: 2 MiB of orders take 150 to 270 ms. */
const sliceMs = 5;

/**
 * Validates the parsed body of an orders/sync request, order by order and item by item: one schema for the body would overflow the stack at
 * 100,000 errors. All invalid fields are named, up to 1,000. The event loop has turns meanwhile.
 * @throws RangeError when the time zone is unknown
 */
export async function validateOrders(
  body: unknown,
  { timeZone, strict = false }: ValidationOptions,
): Promise<OrdersValidation> {
  const errors = new RequestErrors();
  const warnings = new RequestWarnings(strict ? errors : undefined);
  const context = { localOffset: localOffsetOf(timeZone), strict };
  if (!isJsonObject(body)) return invalid([], { body: fieldError('not_an_object') });
  const values = body['orders'];
  if (!Array.isArray(values)) return invalid([], { orders: listError(values) });
  const exceeded = exceededLimits(values);
  if (exceeded) return invalid(values, exceeded);

  let startedAt = performance.now();
  const yieldToEventLoop = async () => {
    if (performance.now() - startedAt < sliceMs) return;
    await setImmediate();
    startedAt = performance.now();
  };
  const check = <T>(result: FieldsResult<T>, path: string): T | undefined => {
    if (result.ok) return result.value;
    for (const [name, error] of Object.entries(result.errors))
      errors.add(name === '' ? path : `${path}.${name}`, error);
    return undefined;
  };

  warnings.addUnknown(body, requestFields, '');
  const acceptedAt = Date.now();
  const latest = new Map<string, { updatedAt: string | null; text: string }>();
  for (const [index, value] of values.entries()) {
    if (errors.overflowed) break;
    await yieldToEventLoop();
    const path = `orders[${index}]`;
    const head = check(validateHead(value, context), path);
    if (isJsonObject(value)) {
      warnings.addUnknown(value, orderFields, path);
      const { warning } = readCurrency(value['currency']);
      if (warning !== undefined) warnings.addUnreadable(`${path}.currency`, fieldError(warning));
      warnOfLabels(value, mostLabels.ofOrder, path, warnings);
      if (head !== undefined) warnOfIgnoredTimes(value, head, path, warnings);
    }
    if (head && isPlaceholderId(head.member_id))
      warnings.add(`${path}.member_id`, fieldError('placeholder_member'));
    const items: OrderItem[] = [];
    // Also those of an order with other invalid fields.
    for (const [number, itemValue] of itemsOf(value).entries()) {
      if (errors.overflowed) break;
      await yieldToEventLoop();
      const itemPath = `${path}.items[${number}]`;
      const item = check(validateItem(itemValue, context), itemPath);
      if (isJsonObject(itemValue)) {
        warnings.addUnknown(itemValue, itemFields, itemPath);
        warnOfLabels(itemValue, mostLabels.ofProduct, itemPath, warnings);
      }
      if (item === undefined) continue;
      items.push(withoutEmptyLabels(item));
      warnOfIgnoredTimes(itemValue, item, itemPath, warnings);
    }
    if (head === undefined || errors.any) continue;
    warnOfDates(head, items, path, acceptedAt, warnings);
    const { order_id: orderId, updated_at: updatedAt } = head;
    const shown = escapeInvisible(orderId);
    if (shown !== undefined)
      warnings.add(`${path}.order_id`, fieldError('invisible_characters', { text: shown }));
    const known = latest.get(orderId);
    if (known && !replacesEarlier(updatedAt, known.updatedAt, acceptedAt))
      warnings.add(`${path}.updated_at`, fieldError('older_in_request'));
    else latest.set(orderId, { updatedAt, text: JSON.stringify({ ...withoutEmptyLabels(head), items }) });
  }
  if (errors.any) return invalid(values, errors.byPath);
  const { byPath: found } = warnings;
  return {
    kind: 'valid',
    accepted: values.length,
    orders: { count: latest.size, json: `[${[...latest.values()].map(({ text }) => text).join()}]` },
    ...(found && { warnings: { found, orderIds: orderIdsOf(values, found) } }),
  };
}

/** The limits of size that the orders exceed; undefined when they exceed none. Such orders are not validated. */
function exceededLimits(values: readonly unknown[]): FieldErrors | undefined {
  if (values.length === 0) return { orders: fieldError('no_orders') };
  if (values.length > requestLimits.orders)
    return { orders: fieldError('too_many_orders', { limit: requestLimits.orders }) };
  const exceeded: FieldErrors = {};
  let products = 0;
  for (const [index, value] of values.entries()) {
    const { length } = itemsOf(value);
    products += length;
    if (length > requestLimits.productsOfOrder)
      exceeded[`orders[${index}].items`] = fieldError('too_many_products_of_order', {
        limit: requestLimits.productsOfOrder,
      });
  }
  if (products > requestLimits.products)
    exceeded['orders'] = fieldError('too_many_products', { limit: requestLimits.products });
  return Object.keys(exceeded).length === 0 ? undefined : exceeded;
}

/** Warns of labels that cannot be read, and of more than count. */
function warnOfLabels(
  { labels }: { labels?: unknown },
  most: number,
  path: string,
  warnings: RequestWarnings,
): void {
  if (labels === undefined) return;
  for (const { path: below, error } of readLabels(labels, most).problems)
    warnings.addUnreadable(`${path}.labels${below}`, error);
}

/** What is stored of an order or a product has no field for labels that it does not have. */
function withoutEmptyLabels<T extends { labels?: string[] }>(value: T): T {
  if (value.labels?.length === 0) delete value.labels;
  return value;
}

/** The items as they were sent. */
function itemsOf(value: unknown): unknown[] {
  const items = isJsonObject(value) ? value['items'] : undefined;
  return Array.isArray(items) ? items : [];
}

const orderPath = /^orders\[(\d+)\]/;

/** The valid ids of the orders that are named in paths, by the path of the order. */
function orderIdsOf(values: readonly unknown[], paths: object): Record<string, string> {
  const ids = new Map<string, string>();
  for (const path of Object.keys(paths)) {
    const [order, index] = orderPath.exec(path) ?? [];
    if (order === undefined || ids.has(order)) continue;
    const value = values[Number(index)];
    const id = isJsonObject(value) ? value['order_id'] : undefined;
    if (typeof id === 'string' && textProblem(id, 1, 255) === undefined) ids.set(order, id);
  }
  return Object.fromEntries(ids);
}

function invalid(values: readonly unknown[], errors: FieldErrors): OrdersValidation {
  return { kind: 'invalid', errors, orderIds: orderIdsOf(values, errors) };
}

function listError(value: unknown): FieldError {
  if (value === undefined) return fieldError('required');
  return fieldError(value === null ? 'null_not_allowed' : 'not_an_array');
}
