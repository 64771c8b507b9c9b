import type { EventType } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { preferIndexes } from '../client/read-in-pages.ts';

/** A request for a page of the feed. */
export interface FeedQuery {
  /** Position of the last event that the reader has; 0 starts at the first. */
  after: number;
  /** Most events of a page. */
  limit: number;
  /** The event types that the reader handles, as an endpoint registers them. */
  types: EventType[];
}

export interface FeedPage {
  /** The exact texts of the events, in the order of their positions. */
  bodies: string[];
  /** The cursor of the next page, to be passed as `after`. Unchanged when there was nothing new. */
  next: number;
  /** False when the reader has passed every event that was committed before the call. */
  hasMore: boolean;
}

/** The most events that one page scans to find those of the requested types. */
const scanLimit = 1_000;

/**
 * Lists a page of a merchant's events. A reader that continues from `next` gets each event once, regardless of the
 * order in which events are committed meanwhile: an event is numbered only after it was committed, by a reader whose
 * page is not full.
 */
export function listFeedPage(database: Database, merchantId: string, query: FeedQuery): Promise<FeedPage> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      await preferIndexes(tx);
      // This is read first: events that another reader numbers from here on are visible to the next statement.
      const unnumbered = await hasUnnumberedEvents(tx, merchantId);
      const page = await listNumberedEvents(tx, merchantId, query);
      if (page.hasMore || !unnumbered) return page;
      const limit = query.limit + 1;
      const considered = await numberEvents(tx, merchantId, limit);
      const fuller = await listNumberedEvents(tx, merchantId, query);
      return { ...fuller, hasMore: fuller.hasMore || considered === limit };
    }),
  );
}

/**
 * Scans the numbered events after the cursor, and selects those of the requested types that have not expired. The last
 * row is the end of the scan: the position of the last scanned event, and the number of scanned events.
 *
 *   $1  merchant id    $3  most events to scan      $5  event types
 *   $2  cursor         $4  most events to select
 *
 * A reader of `reward.issue` alone never sees a revocation. It gets a reward that is issued again only if webhooks have
 * notified the merchant of the revocation in between; otherwise the reader still counts the former one as issued, and
 * would pay twice. A reader of both types gets every event.
 */
const listNumberedSql = `
  WITH scanned AS MATERIALIZED (
    SELECT merchant_id, position, sequence, type, reward_id, expires_at, body FROM events
    WHERE merchant_id = $1 AND position > $2
    ORDER BY position
    LIMIT $3
  ), selected AS (
    SELECT e.position, e.body FROM scanned e
    WHERE e.type = ANY($5)
      AND (e.expires_at IS NULL OR e.expires_at > now())
      AND NOT (
        e.type = 'reward.issue' AND NOT 'reward.revoke' = ANY($5) AND EXISTS (
          SELECT 1 FROM rewards w
          CROSS JOIN LATERAL (
            -- The last reward for the same subject and role that was revoked before.
            SELECT b.id FROM rewards b
            JOIN events r ON r.merchant_id = b.merchant_id AND r.reward_id = b.id AND r.type = 'reward.revoke'
            WHERE b.merchant_id = w.merchant_id AND (b.referral_id = w.referral_id OR b.order_id = w.order_id)
              AND b.subject = w.subject AND b.role = w.role AND b.state = 'revoked' AND r.sequence < e.sequence
            ORDER BY r.sequence DESC
            LIMIT 1
          ) former
          WHERE w.merchant_id = e.merchant_id AND w.id = e.reward_id
            AND NOT rules.was_notified(w.merchant_id, former.id, 'reward.revoke')
        )
      )
    ORDER BY e.position
    LIMIT $4
  )
  SELECT position, body, NULL::int AS scanned FROM selected
  UNION ALL
  SELECT max(position), NULL, count(*)::int FROM scanned
  ORDER BY scanned NULLS FIRST, position`;

async function listNumberedEvents(tx: Queryable, merchantId: string, query: FeedQuery): Promise<FeedPage> {
  const { after, limit, types } = query;
  const toScan = Math.max(limit + 1, scanLimit);
  const rows = await tx.query<{ position: string | null; body: string | null; scanned: number | null }>(
    listNumberedSql,
    [merchantId, after, toScan, limit + 1, types],
  );
  const end = rows.at(-1);
  const selected = rows.slice(0, -1);
  const bodies = selected.slice(0, limit).map(({ body }) => body as string);
  if (selected.length > limit) return { bodies, next: Number(selected[limit - 1]?.position), hasMore: true };
  return { bodies, next: Number(end?.position ?? after), hasMore: end?.scanned === toScan };
}

async function hasUnnumberedEvents(tx: Queryable, merchantId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM events WHERE merchant_id = $1 AND position IS NULL) AS found',
    [merchantId],
  );
  return row?.found === true;
}

/**
 * Gives the oldest events without a position the next ones. An event that an erasure or a manual retry has locked is
 * skipped, and so are the later ones of the same reward: a revocation never precedes its issue. Returns how many
 * events were considered.
 *
 *   $1 merchant id    $2 most events to consider
 */
const numberEventsSql = `
  WITH oldest AS MATERIALIZED (
    SELECT id, sequence, reward_id FROM events
    WHERE merchant_id = $1 AND position IS NULL
    ORDER BY sequence
    LIMIT $2
    FOR NO KEY UPDATE SKIP LOCKED
  ), numbered AS (
    SELECT id, row_number() OVER (ORDER BY sequence) AS number FROM oldest
    WHERE NOT EXISTS (
      SELECT 1 FROM (
        SELECT * FROM events
        WHERE merchant_id = (SELECT $1::text) AND reward_id = oldest.reward_id
        OFFSET 0
      ) earlier
      WHERE earlier.position IS NULL AND earlier.sequence < oldest.sequence
        AND earlier.id NOT IN (SELECT id FROM oldest)
    )
  ), updated AS (
    UPDATE events e SET position = m.feed_position + numbered.number
    FROM numbered, merchants m
    WHERE e.merchant_id = $1 AND e.id = numbered.id AND m.id = $1
    RETURNING 1
  ), counted AS (
    SELECT count(*)::int AS events FROM updated
  )
  UPDATE merchants SET feed_position = feed_position + counted.events
  FROM counted
  WHERE id = $1
  RETURNING (SELECT count(*)::int FROM oldest) AS considered`;

/** Numbers events, one reader of a merchant at a time: the events that the reader before has numbered are visible. */
async function numberEvents(tx: Queryable, merchantId: string, limit: number): Promise<number> {
  await tx.query('SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
  const [row] = await tx.query<{ considered: number }>(numberEventsSql, [merchantId, limit]);
  return row?.considered ?? 0;
}
