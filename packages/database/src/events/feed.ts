import type { EventType } from '@rewardhook/contract';
import { preferIndexes } from '../client/read-in-pages.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';

/** What a reader of the feed asks for. */
export interface FeedQuery {
  /** Place of the last event that the reader has; 0 begins at the first. */
  after: number;
  /** Most events of a page. */
  limit: number;
  /** What the reader acts upon, as an endpoint registers it. */
  types: EventType[];
}

export interface FeedPage {
  /** The exact texts of the events, in the order of their places. */
  bodies: string[];
  /** Where the next page begins: pass it as `after`. Unchanged when nothing new was there. */
  next: number;
  /** False when every event that was committed before the call has been passed. */
  hasMore: boolean;
}

/** Events that are passed by in one page at most, to find those that are asked for. */
const widestLook = 1_000;

/**
 * Reads a page of the events that a merchant is told of. Whoever reads on from `next` meets each event once, whatever
 * was committed in which order meanwhile: an event gets its place only here, when it is committed and a page has room.
 */
export function listFeedPage(database: Database, merchantId: string, query: FeedQuery): Promise<FeedPage> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      await preferIndexes(tx);
      // Asked first: what another reader places from here on, the next statement sees.
      const unplaced = await hasUnplaced(tx, merchantId);
      const page = await readPlaced(tx, merchantId, query);
      if (page.hasMore || !unplaced) return page;
      const most = query.limit + 1;
      const looked = await placeEvents(tx, merchantId, most);
      const fuller = await readPlaced(tx, merchantId, query);
      return { ...fuller, hasMore: fuller.hasMore || looked === most };
    }),
  );
}

/**
 * A reader of `reward.issue` alone takes nothing back. It is told of a reward that is given again only when webhooks
 * took the one before back: otherwise it has that one still, and would pay twice. A reader of both types is told
 * everything.
 */
const toldTwice = `e.type = 'reward.issue' AND NOT 'reward.revoke' = ANY($5) AND EXISTS (
  SELECT 1 FROM rewards w CROSS JOIN LATERAL (
    SELECT b.id FROM rewards b
    JOIN events r ON r.merchant_id = b.merchant_id AND r.reward_id = b.id AND r.type = 'reward.revoke'
    WHERE b.merchant_id = w.merchant_id AND (b.referral_id = w.referral_id OR b.order_id = w.order_id)
      AND b.subject = w.subject AND b.role = w.role AND b.state = 'revoked' AND r.sequence < e.sequence
    ORDER BY r.sequence DESC LIMIT 1) former
  WHERE w.merchant_id = e.merchant_id AND w.id = e.reward_id
    AND NOT rules.was_told(w.merchant_id, former.id, 'reward.revoke'))`;

async function readPlaced(tx: Queryable, merchantId: string, query: FeedQuery): Promise<FeedPage> {
  const { after, limit, types } = query;
  const look = Math.max(limit + 1, widestLook);
  const rows = await tx.query<{
    position: string | null;
    body: string | null;
    passed: number | null;
  }>(
    `WITH passed AS MATERIALIZED (
       SELECT merchant_id, position, sequence, type, reward_id, expires_at, body FROM events
       WHERE merchant_id = $1 AND position > $2 ORDER BY position LIMIT $3
     ), wanted AS (
       SELECT e.position, e.body FROM passed e
       WHERE e.type = ANY($5) AND (e.expires_at IS NULL OR e.expires_at > now()) AND NOT (${toldTwice})
       ORDER BY e.position LIMIT $4
     )
     SELECT position, body, NULL::int AS passed FROM wanted
     UNION ALL SELECT max(position), NULL, count(*)::int FROM passed
     ORDER BY passed NULLS FIRST, position`,
    [merchantId, after, look, limit + 1, types],
  );
  const end = rows.at(-1);
  const wanted = rows.slice(0, -1);
  const bodies = wanted.slice(0, limit).map(({ body }) => body as string);
  if (wanted.length > limit) return { bodies, next: Number(wanted[limit - 1]?.position), hasMore: true };
  return { bodies, next: Number(end?.position ?? after), hasMore: end?.passed === look };
}

async function hasUnplaced(tx: Queryable, merchantId: string): Promise<boolean> {
  const [row] = await tx.query<{ found: boolean }>(
    'SELECT EXISTS (SELECT 1 FROM events WHERE merchant_id = $1 AND position IS NULL) AS found',
    [merchantId],
  );
  return row?.found === true;
}

/**
 * Gives the oldest events that have no place the next ones. The merchant's row is the lock: the statement after it
 * sees what an earlier holder placed. One that an erasure or a retry holds gets its place later, and so does what follows
 * it of the same reward: a revocation never comes before its issue. Returns how many were looked at.
 */
async function placeEvents(tx: Queryable, merchantId: string, most: number): Promise<number> {
  await tx.query('SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
  const [row] = await tx.query<{ looked: number }>(
    `WITH next AS MATERIALIZED (
       SELECT id, sequence, reward_id FROM events WHERE merchant_id = $1 AND position IS NULL
       ORDER BY sequence LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
     ), numbered AS (
       SELECT id, row_number() OVER (ORDER BY sequence) AS number FROM next
       WHERE NOT EXISTS (SELECT 1 FROM (
         SELECT * FROM events WHERE merchant_id = (SELECT $1::text) AND reward_id = next.reward_id OFFSET 0) held
         WHERE held.position IS NULL AND held.sequence < next.sequence
           AND held.id NOT IN (SELECT id FROM next))
     ), placed AS (
       UPDATE events e SET position = m.feed_position + numbered.number FROM numbered, merchants m
       WHERE e.merchant_id = $1 AND e.id = numbered.id AND m.id = $1 RETURNING 1
     ), counted AS (SELECT count(*)::int AS placed FROM placed)
     UPDATE merchants SET feed_position = feed_position + counted.placed FROM counted
     WHERE id = $1 RETURNING (SELECT count(*)::int FROM next) AS looked`,
    [merchantId, most],
  );
  return row?.looked ?? 0;
}
