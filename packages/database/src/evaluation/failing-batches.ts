import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import { batchColumns, failuresBeforeSplit } from './due-batches.ts';
import type { DueBatch } from './due-batches.ts';

/*
 * A batch whose evaluation fails repeatedly is replaced by one batch for each of its orders. An order that fails alone is
 * parked: a row of its own, and at most one for each order. The partial index on `failures > 0` finds all of them.
 */

const countFailureSql = statement<
  DueBatch & { failures: number },
  [merchantId: string, batchId: string, error: string]
>({
  name: 'count a failure of a batch',
  parameters: ['text', 'uuid', 'text'],
  columns: { failures: 'integer', ...batchColumns },
  text: `
    UPDATE due_batches SET failures = failures + 1, last_error = $3, swept_at = NULL
    WHERE merchant_id = $1 AND id = $2
    RETURNING failures, merchant_id AS "merchantId", id::text AS "batchId", orders`,
});

/**
 * Counts a failure of a batch. Returns undefined while it is to be tried again; after several failures it returns batches of
 * one order each, which replace it.
 */
export function recordFailure(
  database: Sql,
  { merchantId, batchId }: Pick<DueBatch, 'merchantId' | 'batchId'>,
  error: string,
): Promise<DueBatch[] | undefined> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      const [batch] = await run(tx, countFailureSql, [merchantId, batchId, error]);
      if (!batch || batch.failures < failuresBeforeSplit) return undefined;
      if (batch.orders > 1) return run(tx, splitSql, [merchantId, batchId]);
      return [{ merchantId, batchId, orders: 1 }];
    }),
  );
}

/**
 * An order keeps its request, and one that belongs to all orders. The sweeper leaves the new batches for some time to the process
 * that evaluates them.
 */
const splitSql = statement<DueBatch, [merchantId: string, batchId: string]>({
  name: 'split a batch',
  parameters: ['text', 'uuid'],
  columns: batchColumns,
  text: `
    WITH failing AS (DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING *)
    INSERT INTO due_batches (merchant_id, order_ids, member_ids, order_versions, requests, due_since, failures, last_error,
      swept_at)
    SELECT merchant_id, ARRAY[order_id], ARRAY[member_id], ARRAY[version], (
        SELECT jsonb_agg(request) FROM jsonb_array_elements(requests) AS request
        WHERE coalesce((request ->> 'version')::bigint, version) = version),
      due_since, failures, last_error, now()
    FROM failing, unnest(order_ids, member_ids, order_versions) AS one (order_id, member_id, version)
    RETURNING merchant_id AS "merchantId", id::text AS "batchId", orders`,
});

/** An order that is parked again keeps its row, with its new version and request. */
const parkSql = statement<NoRow, [merchantId: string, batchId: string, error: string]>({
  name: 'park an order',
  parameters: ['text', 'uuid', 'text'],
  columns: {},
  text: `
    WITH failing AS (DELETE FROM due_batches WHERE merchant_id = $1 AND id = $2 RETURNING *)
    INSERT INTO due_batches AS parked (merchant_id, order_ids, member_ids, order_versions, requests, due_since, failures,
      last_error, parked_at)
    SELECT merchant_id, order_ids, member_ids, order_versions, requests, due_since, failures + 1, $3, clock_timestamp()
    FROM failing
    ON CONFLICT (merchant_id, (order_ids[1])) WHERE parked_at IS NOT NULL DO UPDATE SET
      member_ids = excluded.member_ids, order_versions = excluded.order_versions, requests = excluded.requests,
      failures = excluded.failures, last_error = excluded.last_error, parked_at = excluded.parked_at`,
});

/** Parks a batch of one order: it is evaluated again only when an operator retries it, or its next version arrives. */
export async function parkOrder(
  database: Sql,
  { merchantId, batchId }: Pick<DueBatch, 'merchantId' | 'batchId'>,
  error: string,
): Promise<void> {
  await retryConflicts(() => run(database, parkSql, [merchantId, batchId, error]));
}

const unparkDecidedSql = statement({
  name: 'unpark orders that were decided',
  parameters: [],
  columns: {},
  text: `
    DELETE FROM due_batches b
    WHERE b.failures > 0 AND b.parked_at IS NOT NULL AND EXISTS (
      SELECT 1 FROM decisions d
      WHERE d.merchant_id = b.merchant_id AND d.order_id = b.order_ids[1]
        AND (d.created_at > b.parked_at OR d.order_version > b.order_versions[1])
      OFFSET 0)`,
});

/** Unparks the orders about which a decision was made since: about a newer version, or after they were parked. */
export async function unparkDecided(database: Sql): Promise<void> {
  await run(database, unparkDecidedSql, []);
}

/** Parked orders of a merchant with the same error. */
export interface ParkedOrders {
  merchantId: string;
  orders: number;
  /** Ids of some of them. */
  examples: string[];
  /** Since when the first of them has been due, ISO 8601 in UTC. */
  since: string;
  error: string;
}

const listParkedSql = statement<ParkedOrders>({
  name: 'list parked orders',
  parameters: [],
  columns: { merchantId: 'text', orders: 'double precision', examples: 'json', since: 'text', error: 'text' },
  text: `
    SELECT merchant_id AS "merchantId", count(*)::float8 AS orders,
      to_json((array_agg(order_ids[1]))[1:3]) AS examples,
      rules.iso_utc(min(due_since)) AS since, last_error AS error
    FROM due_batches WHERE failures > 0 AND parked_at IS NOT NULL
    GROUP BY merchant_id, last_error ORDER BY min(due_since) LIMIT 100`,
});

/** Lists parked orders by merchant and error: at most 100 groups, oldest first. */
export function listParked(database: Sql): Promise<ParkedOrders[]> {
  return run(database, listParkedSql, []);
}

const retryParkedSql = statement<DueBatch, [merchantId: string | null]>({
  name: 'retry parked orders',
  parameters: ['text'],
  columns: batchColumns,
  text: `
    UPDATE due_batches SET parked_at = NULL, failures = 0, last_error = NULL, swept_at = NULL,
      due_since = clock_timestamp()
    WHERE failures > 0 AND parked_at IS NOT NULL AND merchant_id = coalesce($1, merchant_id)
    RETURNING merchant_id AS "merchantId", id::text AS "batchId", orders`,
});

/**
 * Makes parked orders due again, of one merchant or of all, with no failures counted. Returns the batches, to be
 * enqueued.
 */
export function retryParked(database: Sql, merchantId: string | undefined): Promise<DueBatch[]> {
  return transact(database, async (tx) => {
    const due = await run(tx, retryParkedSql, [merchantId ?? null]);
    await audit(tx, { details: { orders: due.reduce((sum, { orders }) => sum + orders, 0) } });
    return due;
  });
}
