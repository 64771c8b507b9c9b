import { fieldError } from '../fields/field-errors.ts';
import type { LocalOffset } from '../fields/local-offset.ts';
import { MAX_DEPTH, NODES_PER_STEP, nestsDeeperThan } from '../fields/nesting.ts';
import { compileSchema, type SchemaResult } from '../fields/schema.ts';
import type { BadFields } from './bad-fields.ts';
import { itemFields, orderFields } from './order-fields.ts';
import type { Order, OrderItem } from './order.ts';
import { cost, type WorkBudget } from './work-budget.ts';
import { completeOrder, readItem, readOrderHead } from './read-order.ts';

const validateHead = compileSchema(orderFields);
const validateItem = compileSchema(itemFields);

/** An order lies inside the array `orders` inside the body. */
const LEVELS_ABOVE_ORDER = 2;

/** What a judgement needs beside the value. */
export interface OrderValidation {
  localOffset: LocalOffset;
  bad: BadFields;
  budget: WorkBudget;
}

/**
 * Judges any order, however wrong or large: checks its depth, then its fields and each item on their own, so that an
 * order with very many items is sliced and bounded too. Gives the canonical order, or undefined once something of it
 * is named in `bad`.
 */
export async function validateOrder(
  value: unknown,
  path: string,
  validation: OrderValidation,
): Promise<Order | undefined> {
  const { localOffset, bad, budget } = validation;
  const deep = await checkDepth(value, MAX_DEPTH - LEVELS_ABOVE_ORDER, path, validation);
  const head = readOrderHead(value, localOffset);
  const order = head ?? accept(validateHead(value, localOffset), path, bad);
  if (budget.spend(head === undefined ? cost.thoroughRead : cost.quickRead)) await budget.pause();

  const items: OrderItem[] = [];
  let complete = !deep && order !== undefined;
  for (const [index, itemValue] of itemsOf(value).entries()) {
    if (bad.overflowed) return undefined;
    const read = readItem(itemValue, localOffset);
    const item = read ?? accept(validateItem(itemValue, localOffset), `${path}.items[${index}]`, bad);
    if (budget.spend(read === undefined ? cost.thoroughRead : cost.quickRead)) await budget.pause();
    if (item === undefined) complete = false;
    else items.push(item);
  }
  return complete && order !== undefined ? completeOrder(order, items) : undefined;
}

/** Names `path` in `bad` and gives true when the value there has more than `levels` levels. */
export async function checkDepth(
  value: unknown,
  levels: number,
  path: string,
  { bad, budget }: OrderValidation,
): Promise<boolean> {
  const check = nestsDeeperThan(value, levels);
  let step = check.next();
  while (step.done !== true) {
    if (budget.spend(NODES_PER_STEP)) await budget.pause();
    step = check.next();
  }
  if (step.value) bad.add(path, fieldError('nested_too_deep', { limit: MAX_DEPTH }));
  return step.value;
}

/** The items as sent, also of an order whose other fields are bad: all bad fields are named. */
function itemsOf(value: unknown): unknown[] {
  const items = (value as { items?: unknown } | null | undefined)?.items;
  return Array.isArray(items) ? items : [];
}

function accept<T>(result: SchemaResult<T>, path: string, bad: BadFields): T | undefined {
  if (result.ok) return result.value;
  for (const [name, error] of Object.entries(result.errors))
    bad.add(name === '' ? path : `${path}.${name}`, error);
  return undefined;
}
