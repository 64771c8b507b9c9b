import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { run, statement } from '../client/statement.ts';
import type { DueBatch } from '../evaluation/due-batches.ts';
import { raiseVersionCeiling } from './version-ceiling.ts';

/**
 * Orders of one accepted request, as the text of a JSON array. `version` is the number of the request, the time of its acceptance in
 * microseconds. The state of an order with the latest time is stored: its `updated_at`, or that of its acceptance if it is earlier.
 */
export interface OrderBatch {
  merchantId: string;
  version: number;
  orders: string;
  /** The request, and the traceparent that its evaluation belongs to. */
  requestId?: string | undefined;
  traceparent?: string | undefined;
}

/**
 * Stores batches of orders and enqueues those that are due for evaluation. Returns the due batches and, in a row without a batch, the
 * number of dropped orders of each merchant; or one row of nulls when the ceiling of versions is below the highest one of the
 * batches. See the function in prisma/sql.
 */
const upsertOrdersSql = statement<
  DueBatch | DroppedOrders | Record<keyof DueBatch, null>,
  [batches: string, highestVersion: number]
>({
  name: 'store orders',
  parameters: ['jsonb', 'bigint'],
  columns: { merchantId: 'text', batchId: 'uuid', orders: 'integer' },
  text: `
    SELECT merchant_id AS "merchantId", id AS "batchId", cardinality(order_ids) AS orders
    FROM rules.store_orders_below_ceiling($1::jsonb, $2)`,
});

/** How many orders of a merchant were sent in a state that is older than the stored one, by its `updated_at`. */
interface DroppedOrders {
  merchantId: string;
  batchId: null;
  orders: number;
}

/**
 * Stores batches of orders and enqueues those that are due for evaluation, in one transaction: an order that should be
 * evaluated is never stored without being enqueued. Returns what was enqueued, and calls `onDropped` with the number of orders that were not
 * stored because the stored state has a later time.
 */
export async function upsertOrders(
  database: Sql,
  batches: readonly OrderBatch[],
  onDropped: (orders: number) => void = () => undefined,
): Promise<DueBatch[]> {
  const parameter = toJsonb(batches);
  const highest = batches.reduce((max, { version }) => Math.max(max, version), 0);
  const store = () => retryConflicts(() => run(database, upsertOrdersSql, [parameter, highest]));
  const stored = (rows: Awaited<ReturnType<typeof store>>): rows is (DueBatch | DroppedOrders)[] =>
    rows[0]?.merchantId !== null;

  let rows = await store();
  if (!stored(rows)) {
    await raiseVersionCeiling(database, highest);
    rows = await store();
  }
  if (!stored(rows)) throw new Error('the ceiling of versions was lowered while orders were stored');
  const due: DueBatch[] = [];
  for (const { merchantId, batchId, orders } of rows)
    if (batchId === null) onDropped(orders);
    else due.push({ merchantId, batchId, orders });
  return due;
}

/** The parameter of {@link upsertOrdersSql}. The orders are inserted as they are, because they are JSON already. */
function toJsonb(batches: readonly OrderBatch[]): string {
  const elements = batches.map(
    ({ merchantId, version, requestId, traceparent, orders }) =>
      `${JSON.stringify({ merchantId, version, requestId, traceparent }).slice(0, -1)},"orders":${orders}}`,
  );
  return `[${elements.join()}]`;
}
