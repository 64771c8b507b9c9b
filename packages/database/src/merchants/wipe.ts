import { newId } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { lockNotAvailable, statementCancelled, retryConflicts, sqlState } from '../client/database-errors.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { raiseVersionCeiling } from '../orders/version-ceiling.ts';

/**
 * The tables whose rows of a test side are deleted, each with its key, in the order of the deletion. `due_batches` and
 * `replays` come first: who works on them holds their rows.
 */
export const wipedTables = {
  due_batches: 'merchant_id, id',
  replays: 'merchant_id, id',
  orders: 'merchant_id, order_id',
  decisions: 'merchant_id, order_id, number',
  rewards: 'merchant_id, id',
  referrals: 'merchant_id, id',
  members: 'merchant_id, member_id',
  clicks: 'id, clicked_at',
  notices: 'merchant_id, id',
  attempts: 'delivery_id, number, started_at',
  deliveries: 'id',
  events: 'merchant_id, id, created_at',
} as const;

/** The tables whose rows of a test side stay: how it is set up, and the audit. `activity_…` have none of a test side. */
export const keptTables = [
  'activity_counts',
  'activity_progress',
  'api_keys',
  'audit_entries',
  'endpoints',
  'program_versions',
  'programs',
  'signing_keys',
  'verified_origins',
] as const;

/** A deletion of test data that was requested and is not finished. */
export interface PendingWipe {
  merchantId: string;
  /** As PostgreSQL writes it. */
  requestedAt: string;
}

/** Lists the deletions of test data that are not finished, longest waiting first. */
export function listPendingWipes(database: Queryable): Promise<PendingWipe[]> {
  return database.query(
    `SELECT id AS "merchantId", wipe_requested_at::text AS "requestedAt" FROM merchants
     WHERE wipe_requested_at IS NOT NULL AND mode = 'test' ORDER BY wipe_requested_at`,
  );
}

/** Rows of one statement. */
const batchRows = 1_000;
/** In milliseconds: after how long the last step gives up, and how long one of its statements and waits for a lock may take. */
const lastStepMs = 2_000;
const statementMs = 1_000;
const lockWaitMs = 100;

/**
 * Deletes one batch of the rows of each table that has some. Rows that others have locked are left to a later batch.
 * Returns the number of deleted rows.
 */
export function wipeBatch(database: Sql, merchantId: string): Promise<number> {
  return transact(database, async (tx) => {
    await preferIndexes(tx);
    let deleted = 0;
    for (const table of tableNames)
      deleted += await deleteRows(tx, table, merchantId, 'FOR UPDATE SKIP LOCKED');
    return deleted;
  });
}

/**
 * The last step of a deletion: deletes the rows that are left and ends it, in one transaction that no other writer of the
 * test side overlaps. `version` was assigned after the deletion was requested: orders of requests up to it are not stored
 * any more. The ids of referrals, rewards, events and deliveries are new from now on, even for the same orders, so that
 * no receiver takes them for those from before. Returns false when it gave up: a writer was at work, others had locked
 * some rows, or too many rows were left. A deletion that another process has ended is not ended again.
 */
export async function finishWipe(
  database: Sql,
  { merchantId, requestedAt }: PendingWipe,
  version: number,
): Promise<boolean> {
  const finish = async (tx: Queryable): Promise<boolean> => {
    const until = performance.now() + lastStepMs;
    await tx.query(
      `SELECT set_config('lock_timeout', '${lockWaitMs}ms', true), set_config('statement_timeout', '${statementMs}ms', true)`,
    );
    // Does not wait: writers that come later would wait behind it.
    const [lock] = await tx.query<{ acquired: boolean }>(
      "SELECT pg_try_advisory_xact_lock(hashtextextended('rewardhook test data ' || $1, 0)) AS acquired",
      [merchantId],
    );
    if (!lock?.acquired) return false;
    // A statement of its own: the next one reads what a concurrent change has committed.
    await tx.execute('SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
    const [pending] = await tx.query(
      'SELECT 1 FROM merchants WHERE id = $1 AND wipe_requested_at = $2::timestamptz',
      [merchantId, requestedAt],
    );
    if (!pending) return true;
    await preferIndexes(tx);
    for (const table of tableNames)
      for (let deleted = batchRows; deleted >= batchRows;) {
        if (performance.now() > until) return false;
        deleted = await deleteRows(tx, table, merchantId, 'FOR UPDATE');
      }
    const programId = newId('prg');
    await tx.execute('UPDATE programs SET id = $2, spent = 0 WHERE merchant_id = $1', [
      merchantId,
      programId,
    ]);
    await tx.execute('UPDATE program_versions SET program_id = $2 WHERE merchant_id = $1', [
      merchantId,
      programId,
    ]);
    await tx.execute(
      `UPDATE merchants SET wiped_version = greatest(wiped_version, $2), wiped_at = clock_timestamp(),
         wipe_requested_at = NULL, id_salt = gen_random_uuid()
       WHERE id = $1`,
      [merchantId, version],
    );
    return true;
  };
  await raiseVersionCeiling(database, version);
  try {
    return await retryConflicts(() => transact(database, finish));
  } catch (error) {
    const state = sqlState(error);
    if (state === lockNotAvailable || state === statementCancelled) return false;
    throw error;
  }
}

const tableNames = Object.keys(wipedTables) as (keyof typeof wipedTables)[];

/**
 * Deletes at most `batchRows` rows. The condition on the merchant, of which the schema allows no live one, is part of the
 * statement.
 */
function deleteRows(
  tx: Queryable,
  table: keyof typeof wipedTables,
  merchantId: string,
  lock: string,
): Promise<number> {
  const key = wipedTables[table];
  return tx.execute(
    `WITH wiped AS MATERIALIZED (
       SELECT ${key} FROM ${table}
       WHERE merchant_id = (
         SELECT id FROM merchants WHERE id = $1 AND mode = 'test' AND wipe_requested_at IS NOT NULL)
       LIMIT ${batchRows} ${lock}
     )
     DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM wiped)`,
    [merchantId],
  );
}
