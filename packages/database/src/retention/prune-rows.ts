import type { PruneRun } from './prune-run.ts';

/**
 * Deletes decisions that were superseded before `until`: the next one of their order is older than that. `since` is
 * the end of the last run. Returns their number.
 */
export async function pruneDecisions(run: PruneRun, since: Date | null, until: Date): Promise<number> {
  let deleted = 0;
  let cursor = { time: since?.toISOString() ?? '-infinity', key: ['', ''], number: 0 };
  await run.inBatches(async (tx, limit) => {
    const [page] = await tx.query<{
      scanned: number;
      deleted: number;
      time: string | null;
      merchantId: string;
      orderId: string;
      number: number;
    }>(pruneDecisionsSql, [until, cursor.time, ...cursor.key, cursor.number, limit]);
    deleted += page?.deleted ?? 0;
    if (page?.time) cursor = { time: page.time, key: [page.merchantId, page.orderId], number: page.number };
    return page?.scanned ?? 0;
  });
  return deleted;
}

/** $1 until, $2 to $5 cursor: time, merchant id, order id, number, $6 limit. */
const pruneDecisionsSql = `
  WITH page AS MATERIALIZED (
    SELECT merchant_id, order_id, number, created_at FROM decisions
    WHERE number > 1 AND created_at < $1 AND created_at >= $2::timestamptz
      AND (created_at, merchant_id, order_id, number) > ($2::timestamptz, $3, $4, $5::int)
    ORDER BY created_at, merchant_id, order_id, number
    LIMIT $6
  ), superseded AS MATERIALIZED (
    SELECT d.merchant_id, d.order_id, d.number FROM page CROSS JOIN LATERAL (
      SELECT * FROM decisions
      WHERE merchant_id = page.merchant_id AND order_id = page.order_id AND number < page.number OFFSET 0) d
    GROUP BY 1, 2, 3
  ), deleted AS (
    DELETE FROM decisions d USING superseded s
    WHERE d.merchant_id = s.merchant_id AND d.order_id = s.order_id AND d.number = s.number
    RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM page) AS scanned, (SELECT count(*)::int FROM deleted) AS deleted,
    last.created_at::text AS time, last.merchant_id AS "merchantId", last.order_id AS "orderId", last.number
  FROM (SELECT 1) one
  LEFT JOIN LATERAL (
    SELECT * FROM page ORDER BY created_at DESC, merchant_id DESC, order_id DESC, number DESC LIMIT 1) last ON true`;

/** Small tables, and which of their rows are deleted; $1 is the time before which they must have ended. */
const endedRows = {
  notices: 'mailed_at IS NOT NULL AND created_at < $1',
  replays: 'finished_at < $1',
  problems: 'resolved_at < $1',
  invitations: 'least(expires_at, accepted_at, revoked_at) < $1',
  password_resets: 'expires_at < $1',
  contact_confirmations: 'expires_at < $1',
  sessions: 'expires_at < $1',
  sign_ups: 'expires_at < $1',
  former_identity_secrets: 'expires_at < $1',
  click_counts: 'starts_at < $1',
  request_counts: 'starts_at < $1',
  attempt_counts: 'starts_at < $1',
  // A sync job of the former id ends silently until then, and the audit of the test side lists the entries of it.
  wipes: `finished_at < $1
    AND NOT EXISTS (SELECT 1 FROM audit_entries a WHERE a.merchant_id = wipes.merchant_id)`,
} as const;

export type SmallTable = keyof typeof endedRows;

/** Deletes the rows of a small table that ended before `until`. Returns their number. */
export async function pruneSmallTable(run: PruneRun, table: SmallTable, until: Date): Promise<number> {
  let deleted = 0;
  await run.inBatches(async (tx, limit) => {
    const count = await tx.execute(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE ${endedRows[table]} LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [until, limit],
    );
    deleted += count;
    return count;
  });
  return deleted;
}

/**
 * Deletes rows of the default partition of a table that were created before `until`, which is at most the beginning of
 * its first partition. Returns their number.
 */
export async function pruneDefaultPartition(
  run: PruneRun,
  { table, key, time, condition = 'true' }: { table: string; key: string; time: string; condition?: string },
  until: Date,
): Promise<number> {
  let deleted = 0;
  await run.inBatches(async (tx, limit) => {
    const count = await tx.execute(
      `DELETE FROM ${table} WHERE (${key}) IN (
         SELECT ${key} FROM ${table} old WHERE ${time} < $1 AND ${condition} LIMIT $2) AND ${time} < $1`,
      [until, limit],
    );
    deleted += count;
    return count;
  });
  return deleted;
}
