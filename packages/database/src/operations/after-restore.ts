import type { Sql } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';

/** What the data of a restored database says. */
export interface RestoredData {
  /** After a restore to a point in time: when the last transaction that was restored was committed. Null after a restart. */
  restoredTo: Date | null;
  /** When the newest stored order was written; null without orders. */
  newestOrderAt: Date | null;
  /** Orders that were stored since the given time; null without one. */
  ordersStoredSince: number | null;
  /** Deliveries that are due or wait for a retry. */
  deliveriesPending: number;
  /** Merchants that have read their event feed. */
  feedReaders: number;
  replaysRunning: number;
  /** A restore to a point in time begins a new timeline, a copy of the files does not. Null when it cannot be read. */
  timeline: number | null;
}

/**
 * The newest order is searched among those that were created around the last raise of the ceiling of versions, or later:
 * the indexes by merchant and time find them. Orders are stored under a ceiling that is raised about once a minute. $1 a
 * time, or null
 */
const restoredDataSql = `
  WITH recent AS (SELECT raised_at - interval '15 minutes' AS since FROM version_ceiling)
  SELECT
    pg_last_xact_replay_timestamp() AS "restoredTo",
    greatest(
      (SELECT max(o.updated_at) FROM merchants m CROSS JOIN LATERAL (
        SELECT updated_at FROM orders WHERE merchant_id = m.id AND created_at > (SELECT since FROM recent) OFFSET 0) o),
      (SELECT max(d.created_at) FROM merchants m CROSS JOIN LATERAL (
        SELECT created_at FROM decisions WHERE merchant_id = m.id AND created_at > (SELECT since FROM recent)
        ORDER BY created_at DESC LIMIT 1) d),
      (SELECT raised_at FROM version_ceiling WHERE EXISTS (SELECT 1 FROM orders))) AS "newestOrderAt",
    CASE WHEN $1::timestamptz IS NOT NULL THEN
      (SELECT count(*) FROM orders WHERE updated_at >= $1::timestamptz) END::int AS "ordersStoredSince",
    (SELECT count(*) FROM deliveries WHERE state = 'pending')::int AS "deliveriesPending",
    (SELECT count(*) FROM merchants WHERE feed_position > 0)::int AS "feedReaders",
    (SELECT count(*) FROM replays WHERE state = 'running')::int AS "replaysRunning"`;

/** Reads what an operator must know after a restore. `since` counts the orders that were stored since then. */
export async function describeRestoredData(database: Sql, since: Date | null): Promise<RestoredData> {
  const [row] = await database.query<Omit<RestoredData, 'timeline'>>(restoredDataSql, [since]);
  if (!row) throw new Error('the description of the data returned no row');
  // Some services hide it.
  const [control] = await database
    .query<{ timeline: number }>('SELECT timeline_id AS timeline FROM pg_control_checkpoint()')
    .catch(() => []);
  return { ...row, timeline: control?.timeline ?? null };
}

/** Returns the merchants of a list that do not exist and are not former ids of test sides whose data was deleted. */
export async function listUnknownMerchants(database: Sql, merchantIds: string[]): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    `SELECT id FROM unnest($1::text[]) AS given (id) 
     WHERE NOT EXISTS (SELECT 1 FROM merchants m WHERE m.id = given.id)
       AND NOT EXISTS (SELECT 1 FROM wipes w WHERE w.merchant_id = given.id)`,
    [textArray(merchantIds)],
  );
  return rows.map(({ id }) => id);
}

/** Counts the due batches of a list that do not exist. */
export function countUnknownBatches(
  database: Sql,
  batches: { merchantId: string; batchId: string }[],
): Promise<number> {
  return countUnknown(
    database,
    'due_batches WHERE due_batches.merchant_id = given.merchant_id AND due_batches.id::text = given.id',
    batches.map(({ merchantId, batchId }) => [merchantId, batchId]),
  );
}

/** Counts the endpoints of a list that do not exist. */
export function countUnknownEndpoints(
  database: Sql,
  endpoints: { merchantId: string; endpointId: string }[],
): Promise<number> {
  return countUnknown(
    database,
    'endpoints p WHERE p.merchant_id = given.merchant_id AND p.id = given.id',
    endpoints.map(({ merchantId, endpointId }) => [merchantId, endpointId]),
  );
}

async function countUnknown(database: Sql, rows: string, keys: [string, string][]): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM unnest($1::text[], $2::text[]) AS given (merchant_id, id)
     WHERE NOT EXISTS (SELECT 1 FROM ${rows})`,
    [textArray(keys.map(([merchantId]) => merchantId)), textArray(keys.map(([, id]) => id))],
  );
  return row?.count ?? 0;
}
