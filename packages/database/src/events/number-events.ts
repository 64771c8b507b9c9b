import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { run, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';

/**
 * Gives the oldest events without a position the next ones, and stores with each the fingerprint of the feed before it. An
 * event that an erasure or a manual retry has locked is skipped, and so are the later ones of the same reward: a
 * revocation never precedes its issue. Returns how many events were considered.
 */
const numberEventsSql = statement<{ considered: number }, [merchantId: string, limit: number]>({
  name: 'number events',
  parameters: ['text', 'bigint'],
  columns: { considered: 'integer' },
  text: `
    WITH oldest AS MATERIALIZED (
      SELECT id, created_at, sequence, reward_id FROM events
      WHERE merchant_id = $1 AND position IS NULL
      ORDER BY sequence
      LIMIT $2
      FOR NO KEY UPDATE SKIP LOCKED
    ), numbered AS (
      SELECT id, created_at, row_number() OVER (ORDER BY sequence) AS number FROM oldest
      WHERE NOT EXISTS (
        SELECT 1 FROM (
          SELECT * FROM events
          WHERE merchant_id = (SELECT $1::text) AND reward_id = oldest.reward_id
          OFFSET 0
        ) earlier
        WHERE earlier.position IS NULL AND earlier.sequence < oldest.sequence
          AND earlier.id NOT IN (SELECT id FROM oldest)
      )
    ), placed AS MATERIALIZED (
      SELECT n.id, n.created_at, m.feed_position + n.number AS position, m.feed_fingerprint AS fingerprint,
        rules.event_fingerprint(n.id, m.feed_position + n.number) AS share
      FROM numbered n JOIN merchants m ON m.id = $1
    ), chained AS (
      SELECT id, created_at, position,
        fingerprint # coalesce(
          bit_xor(share) OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS fingerprint
      FROM placed
    ), updated AS (
      UPDATE events e SET position = c.position, feed_fingerprint = c.fingerprint
      FROM chained c
      WHERE e.merchant_id = $1 AND e.id = c.id AND e.created_at = c.created_at
    )
    UPDATE merchants SET
      feed_position = feed_position + (SELECT count(*) FROM placed),
      feed_fingerprint = feed_fingerprint # coalesce((SELECT bit_xor(share) FROM placed), 0)
    WHERE id = $1
    RETURNING (SELECT count(*)::int FROM oldest) AS considered`,
});

const lockFeedSql = statement<NoRow, [merchantId: string]>({
  name: 'lock the feed of a merchant',
  parameters: ['text'],
  columns: {},
  text: 'SELECT FROM merchants WHERE id = $1 FOR NO KEY UPDATE',
});

/** Numbers events, one reader of a merchant at a time: the events that the previous reader has numbered are visible. */
export async function numberEvents(tx: Queryable, merchantId: string, limit: number): Promise<number> {
  await run(tx, lockFeedSql, [merchantId]);
  const [row] = await run(tx, numberEventsSql, [merchantId, limit]);
  return row?.considered ?? 0;
}

/**
 * Finds the oldest event without a position, and whether a reader that starts at a time has passed it. A reader starts five
 * minutes early: events get their positions in the order in which they are written, but a locked one may get its position later.
 */
const findOldestSql = statement<{ isEarlier: boolean }, [merchantId: string, since: string]>({
  name: 'find the oldest event without a position',
  parameters: ['text', 'timestamp with time zone'],
  columns: { isEarlier: 'boolean' },
  text: `
    SELECT created_at < ($2::timestamptz - interval '5 minutes') AS "isEarlier" FROM events
    WHERE merchant_id = $1 AND position IS NULL ORDER BY sequence LIMIT 1`,
});

/** Events of one transaction, and how long one call numbers events, in milliseconds. */
const batchSize = 1_000;
const longestMs = 3_000;

/**
 * Numbers the events before those of a reader that starts at a time, without those that others have locked. Events are numbered when they are read, so the
 * feed of a merchant who starts to read it has none with a position, and a time cannot be found in it.
 * @throws when there are too many; what was numbered stays, and the next call continues
 */
export async function numberEventsBefore(database: Sql, merchantId: string, since: string): Promise<void> {
  const numberBatch = async (tx: Queryable): Promise<number> => {
    await preferIndexes(tx);
    const [oldest] = await run(tx, findOldestSql, [merchantId, since]);
    return oldest?.isEarlier ? numberEvents(tx, merchantId, batchSize) : 0;
  };
  const until = performance.now() + longestMs;
  while ((await retryConflicts(() => transact(database, numberBatch))) === batchSize)
    if (performance.now() > until) throw new Error('too many events have no position in the feed yet');
}
