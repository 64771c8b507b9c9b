import { fieldError } from '../fields/field-errors.ts';
import { compileSchema, type SchemaCheck, type SchemaResult } from '../fields/schema.ts';
import type { LocalOffset } from '../fields/time-zone.ts';
import type { UnknownFields } from '../fields/unknown-fields.ts';
import { isJsonObject, MAX_DEPTH, nestsDeeperThan } from '../json/nesting.ts';
import { itemFields, orderFields, type Order, type OrderItem } from './order.ts';
import { completeOrder, readItem, readOrderHead } from './read-order.ts';
import type { RequestErrors } from '../fields/request-errors.ts';
import type { SlowSteps } from './slow-steps.ts';

const validateHead = compileSchema(orderFields);
const validateItem = compileSchema(itemFields);

/** An order is nested in the array `orders` in the body. */
const LEVELS_ABOVE_ORDER = 2;

/** What the orders of a request share while they are validated. */
export interface OrderValidation {
  localOffset: LocalOffset;
  errors: RequestErrors;
  unknownFields: UnknownFields;
  slowSteps: SlowSteps;
}

/**
 * Validates an order with any errors and unknown fields: its depth, then its fields, then each item.
 * Returns the canonical order, or undefined when an error was added to `errors`.
 */
export function validateOrder(value: unknown, path: string, validation: OrderValidation): Order | undefined {
  const { localOffset, errors, unknownFields, slowSteps } = validation;
  const tooDeep = checkDepth(value, MAX_DEPTH - LEVELS_ABOVE_ORDER, path, errors);
  const validate = <T>(check: SchemaCheck<T>, part: unknown, at: string): T | undefined => {
    slowSteps.count();
    return valueOrErrors(check(part, localOffset), at, errors);
  };
  const order = readOrderHead(value, localOffset) ?? validate(validateHead, value, path);
  if (isJsonObject(value)) unknownFields.check(value, orderFields, path);

  const items: OrderItem[] = [];
  let complete = !tooDeep && order !== undefined;
  for (const [index, itemValue] of itemsOf(value).entries()) {
    if (errors.overflowed) return undefined;
    const itemPath = `${path}.items[${index}]`;
    const item = readItem(itemValue, localOffset) ?? validate(validateItem, itemValue, itemPath);
    if (isJsonObject(itemValue)) unknownFields.check(itemValue, itemFields, itemPath);
    if (item === undefined) complete = false;
    else items.push(item);
  }
  return complete && order !== undefined ? completeOrder(order, items) : undefined;
}

/** Adds an error and returns true when the value at `path` has more than `levels` levels. */
export function checkDepth(value: unknown, levels: number, path: string, errors: RequestErrors): boolean {
  const tooDeep = nestsDeeperThan(value, levels);
  if (tooDeep) errors.add(path, fieldError('nested_too_deep', { limit: MAX_DEPTH }));
  return tooDeep;
}

/** The items as they were sent. They are validated even when other fields of the order are invalid. */
export function itemsOf(value: unknown): unknown[] {
  const items = (value as { items?: unknown } | null | undefined)?.items;
  return Array.isArray(items) ? items : [];
}

function valueOrErrors<T>(result: SchemaResult<T>, path: string, errors: RequestErrors): T | undefined {
  if (result.ok) return result.value;
  for (const [name, error] of Object.entries(result.errors))
    errors.add(name === '' ? path : `${path}.${name}`, error);
  return undefined;
}
