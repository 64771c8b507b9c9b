import type { OrderInput } from './orders.ts';

/** The size of a request. */
export interface BatchLimits {
  maxOrders: number;
  /** Of all orders together. */
  maxProducts: number;
  /** Of the body, in UTF-8. */
  maxBytes: number;
}

/** An order as JSON, with its index in the list that was given. */
export interface PreparedOrder {
  index: number;
  /** Undefined when it is not a text: the API refuses it. */
  id: string | undefined;
  /** When it was changed to this state, in milliseconds; NaN when it does not say. */
  updatedAt: number;
  json: string;
  products: number;
}

const envelopeBytes = '{"orders":[]}'.length;

/**
 * Splits orders into the batches of one request each, in the given order. Of several with one `order_id` only the last one
 * is kept, because it counts, unless both say when they were changed: then the newer one. An order that is larger than a request is a batch
 * of its own, which the API refuses.
 * @throws TypeError when an order is not an object
 */
export function splitOrders(orders: readonly OrderInput[], limits: BatchLimits): PreparedOrder[][] {
  const prepared = orders.map(prepareOrder);
  const kept = new Map<string | undefined, PreparedOrder>();
  for (const order of prepared) {
    const known = kept.get(order.id);
    if (!known || !(known.updatedAt > order.updatedAt)) kept.set(order.id, order);
  }
  const batches: PreparedOrder[][] = [];
  let batch: PreparedOrder[] = [];
  let bytes = envelopeBytes;
  let products = 0;
  for (const order of prepared) {
    if (order.id !== undefined && kept.get(order.id) !== order) continue;
    const size = Buffer.byteLength(order.json);
    // With a comma before each order except the first.
    const isFull =
      batch.length >= limits.maxOrders ||
      products + order.products > limits.maxProducts ||
      bytes + 1 + size > limits.maxBytes;
    if (batch.length > 0 && isFull) {
      batches.push(batch);
      batch = [];
      bytes = envelopeBytes;
      products = 0;
    }
    bytes += size + (batch.length > 0 ? 1 : 0);
    products += order.products;
    batch.push(order);
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

const fieldsWithDefault = new Set(['first_order', 'items', 'sku']);

/** Leaves out null for a field that has a default, where the API refuses it: serialisers write null for every field that is not set. */
const withoutNullForDefault = (name: string, value: unknown): unknown =>
  value === null && fieldsWithDefault.has(name) ? undefined : value;

const withOffset = /^[\d-]+[Tt][\d:.,]+(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/;
const [earliest, latest] = [Date.UTC(1971, 0, 1), Date.UTC(9998, 11, 31)];

/** In milliseconds; NaN for what the API ignores: a time without an offset, and one that means "never set". */
function timeOf(updatedAt: unknown): number {
  if (typeof updatedAt !== 'string' || !withOffset.test(updatedAt)) return Number.NaN;
  const at = Date.parse(updatedAt);
  return at >= earliest && at < latest ? at : Number.NaN;
}

function prepareOrder(order: OrderInput, index: number): PreparedOrder {
  if (typeof order !== 'object' || order === null) throw new TypeError(`orders[${index}] must be an object`);
  const {
    order_id: id,
    items,
    updated_at: updatedAt,
  } = order as { order_id: unknown; items?: unknown; updated_at?: unknown };
  return {
    index,
    id: typeof id === 'string' ? id : undefined,
    updatedAt: timeOf(updatedAt),
    json: JSON.stringify(order, withoutNullForDefault),
    products: Array.isArray(items) ? items.length : 0,
  };
}
