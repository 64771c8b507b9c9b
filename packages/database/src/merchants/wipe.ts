import { testIdPrefix } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';

/**
 * The tables whose rows of a side are deleted, each with its key, in the order of the deletion. `due_batches` and
 * `replays` come first: from them others would make more rows.
 */
export const wipedTables = {
  due_batches: 'merchant_id, id',
  replays: 'merchant_id, id',
  orders: 'merchant_id, order_id',
  decisions: 'merchant_id, order_id, number',
  rewards: 'merchant_id, id',
  referred_orders: 'merchant_id, order_id',
  reward_corrections: 'merchant_id, key',
  referrals: 'merchant_id, id',
  waiting_links: 'merchant_id, referral_id',
  referral_moves: 'merchant_id, referral_id, number',
  members: 'merchant_id, member_id',
  member_aliases: 'merchant_id, alias_id',
  clicks: 'merchant_id, id, clicked_at',
  click_counts: 'merchant_id, starts_at',
  attempt_counts: 'merchant_id, endpoint_id, starts_at, outcome, within_ms',
  notices: 'merchant_id, id',
  attempts: 'delivery_id, number, started_at, merchant_id',
  deliveries: 'id, merchant_id',
  events: 'merchant_id, id, created_at',
  problems: 'merchant_id, id',
  requests: 'merchant_id, id, at',
  request_counts: 'merchant_id, starts_at, route, code, writer',
} as const;

/**
 * The tables whose rows of a side stay. Those of how it is set up, and of its users, move to its new id; those of the audit and of
 * the deletion itself keep the former id. Those of `open_promises` are replaced every few seconds.
 */
export const keptTables = [
  'account_mails',
  'api_keys',
  'audit_entries',
  'contact_confirmations',
  'endpoints',
  'former_identity_secrets',
  'invitations',
  'memberships',
  'open_promises',
  'program_drafts',
  'program_versions',
  'programs',
  'sessions',
  'signing_keys',
  'verified_origins',
  'wipes',
] as const;

/** The ids that a side of a merchant had, its present one first: each deletion of its data gives it a new one. */
export async function listIdsOf(database: Queryable, merchantId: string): Promise<string[]> {
  const former = await database.query<{ id: string }>(
    `SELECT w.merchant_id AS id
     FROM merchants m JOIN wipes w ON w.live_merchant_id = coalesce(m.live_merchant_id, m.id)
     WHERE m.id = $1 AND starts_with(w.merchant_id, '${testIdPrefix}') = (m.mode = 'test')`,
    [merchantId],
  );
  return [merchantId, ...former.map(({ id }) => id)];
}

/** Whether an id belongs to a merchant, or to nobody since the data of a side was deleted, or is unknown. */
export async function findOwnerState(
  database: Queryable,
  merchantId: string,
): Promise<'merchant' | 'wiped' | 'unknown'> {
  const [found] = await database.query<{ exists: boolean; wiped: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM merchants WHERE id = $1) AS exists,
       EXISTS (SELECT 1 FROM wipes WHERE merchant_id = $1) AS wiped`,
    [merchantId],
  );
  if (found?.exists) return 'merchant';
  return found?.wiped ? 'wiped' : 'unknown';
}

/** Lists the former ids of sides whose rows are not deleted yet, longest waiting first. */
export async function listPendingWipes(database: Queryable): Promise<string[]> {
  const rows = await database.query<{ id: string }>(
    'SELECT merchant_id AS id FROM wipes WHERE finished_at IS NULL ORDER BY requested_at',
  );
  return rows.map(({ id }) => id);
}

const tables = Object.keys(wipedTables) as (keyof typeof wipedTables)[];

/** SQL: whether a merchant has rows that a deletion deletes. */
const hasRows = (merchantId: string) =>
  `(${tables.map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE merchant_id = ${merchantId})`).join(' OR ')})`;

/**
 * Lists the former ids that have rows although they were deleted: of an order that was accepted under the former id, but
 * stored long after.
 */
export function listLateWipes(database: Sql): Promise<string[]> {
  return transact(database, async (tx) => {
    await preferIndexes(tx);
    const rows = await tx.query<{ id: string }>(
      `SELECT w.merchant_id AS id FROM wipes w WHERE w.finished_at IS NOT NULL AND ${hasRows('w.merchant_id')}`,
    );
    return rows.map(({ id }) => id);
  });
}

/** Rows of one statement. */
const batchRows = 1_000;

/**
 * Deletes one batch of the rows of each table that has some. Rows that others have locked are left to a later batch.
 * Returns the number of deleted rows.
 */
export function wipeBatch(database: Sql, formerId: string): Promise<number> {
  return transact(database, async (tx) => {
    await preferIndexes(tx);
    let deleted = 0;
    for (const table of tables) deleted += await deleteRows(tx, table, formerId);
    return deleted;
  });
}

/** That no merchant has the id is part of the statement. */
function deleteRows(tx: Queryable, table: keyof typeof wipedTables, formerId: string): Promise<number> {
  const key = wipedTables[table];
  return tx.execute(
    `WITH wiped AS MATERIALIZED (
       SELECT ${key} FROM ${table}
       WHERE merchant_id = (
         SELECT merchant_id FROM wipes w
         WHERE merchant_id = $1 AND NOT EXISTS (SELECT 1 FROM merchants WHERE id = w.merchant_id))
       LIMIT ${batchRows} FOR UPDATE SKIP LOCKED
     )
     DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM wiped)`,
    [formerId],
  );
}

/**
 * Ends a deletion when no rows are left, and no process has the former id in its cache of keys any more, which takes 2 s, or in
 * requests that wait to be stored, which takes 2 s more. So what is sent after the end belongs to the new id. Returns whether it has
 * ended.
 */
export function finishWipe(database: Sql, formerId: string): Promise<boolean> {
  return transact(database, async (tx) => {
    await preferIndexes(tx);
    const ended = await tx.execute(
      `UPDATE wipes SET finished_at = clock_timestamp()
       WHERE merchant_id = $1 AND finished_at IS NULL AND requested_at < clock_timestamp() - interval '5 seconds'
         AND NOT ${hasRows('$1')}`,
      [formerId],
    );
    return ended > 0;
  });
}
