import type { Queryable } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { firstCursor } from '../replays/replay-statements.ts';
import type { PruneRun } from './prune-run.ts';

/** A page of deliveries that was scanned, and how many of them were deleted. */
interface ScannedPage extends Record<string, unknown> {
  scanned: number;
  deleted: number;
  time: string | null;
  id: string | null;
}

/**
 * Deletes the final deliveries on a page of old ones. Deliveries that are locked, such as by a manual retry, are
 * skipped. A page is short, so the statement is short too, whatever the states of its deliveries are.
 */
const deletePage = (page: string, time: string) => `
  WITH page AS MATERIALIZED (${page}
  ), old AS MATERIALIZED (
    SELECT d.id FROM page CROSS JOIN LATERAL (
      SELECT id FROM deliveries WHERE id = page.id AND state IN ('delivered', 'exhausted', 'cancelled')
      FOR UPDATE SKIP LOCKED) d
  ), deleted AS (
    DELETE FROM deliveries d USING old WHERE d.id = old.id RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM page) AS scanned, (SELECT count(*)::int FROM deleted) AS deleted,
    last.${time}::text AS time, last.id::text AS id
  FROM (SELECT 1) one
  LEFT JOIN LATERAL (SELECT * FROM page ORDER BY ${time} DESC, id DESC LIMIT 1) last ON true`;

/** $1 merchant id, $2 until, $3 and $4 cursor, $5 limit. */
const deleteOfMerchantSql = deletePage(
  `
    SELECT id, created_at FROM deliveries
    WHERE merchant_id = $1 AND created_at < $2 AND (created_at, id) > ($3::timestamptz, $4::uuid)
    ORDER BY created_at, id LIMIT $5`,
  'created_at',
);

/** The deliveries that replays have added to older events. $1 until, $2 and $3 cursor, $4 limit. */
const deleteOfReplaysSql = deletePage(
  `
    SELECT id, event_created_at FROM deliveries
    WHERE replay_id <> '' AND event_created_at < $1 AND (event_created_at, id) > ($2::timestamptz, $3::uuid)
    ORDER BY event_created_at, id LIMIT $4`,
  'event_created_at',
);

/** Deletes the final deliveries of events that were created before `until`. Returns their number. */
export async function pruneDeliveries(run: PruneRun, until: Date): Promise<number> {
  let deleted = 0;
  const deletePages = async (
    page: (tx: Queryable, cursor: string[], limit: number) => Promise<ScannedPage[]>,
  ) => {
    let cursor = [firstCursor.cursorTime, firstCursor.cursorId];
    await run.inBatches(async (tx, limit) => {
      await preferIndexes(tx);
      const [row] = await page(tx, cursor, limit);
      deleted += row?.deleted ?? 0;
      if (row?.time && row.id) cursor = [row.time, row.id];
      return row?.scanned ?? 0;
    });
  };
  for (const merchantId of await listMerchantsWithOldDeliveries(run, until))
    await deletePages((tx, cursor, limit) =>
      tx.query(deleteOfMerchantSql, [merchantId, until, ...cursor, limit]),
    );
  await deletePages((tx, cursor, limit) => tx.query(deleteOfReplaysSql, [until, ...cursor, limit]));
  return deleted;
}

/** Merchants that one statement looks at. */
const merchantsPerPage = 1_000;

async function listMerchantsWithOldDeliveries(run: PruneRun, until: Date): Promise<string[]> {
  const found: string[] = [];
  let after = '';
  for (let more = true; more;) {
    const page = await run.step((tx) =>
      tx.query<{ id: string; old: boolean }>(
        `SELECT m.id, EXISTS (
           SELECT 1 FROM deliveries d WHERE d.merchant_id = m.id AND d.created_at < $2) AS old
         FROM (SELECT id FROM merchants WHERE id > $1 ORDER BY id LIMIT ${merchantsPerPage}) m ORDER BY m.id`,
        [after, until],
      ),
    );
    found.push(...page.filter(({ old }) => old).map(({ id }) => id));
    more = page.length === merchantsPerPage;
    after = page.at(-1)?.id ?? after;
  }
  return found;
}
