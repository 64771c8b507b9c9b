import type { Queryable } from '../client/client.ts';
import { run, statement } from '../client/statement.ts';

/** The position of a reader in a merchant's feed. */
export interface FeedPosition {
  /** The position of the last event that the reader has; 0 is before the first. */
  position: number;
  /**
   * The fingerprint of the feed up to there: a 64-bit integer. It differs when the reader has read other events, or in
   * another order, than those that are stored now.
   */
  fingerprint: string;
}

/**
 * The reader cannot continue from its position: events after it were deleted, or the database was restored to an earlier
 * moment, so that other events have the positions that the reader has read.
 */
export class FeedCursorExpired extends Error {}

/**
 * What is stored about a position: the end of the feed, whether the event at the position and the one after it are left,
 * and the fingerprint, from the first of these rows that is left, or of the whole feed at its end.
 */
const positionSql = statement<StoredPosition, [merchantId: string, position: number]>({
  name: 'find a position of the feed',
  parameters: ['text', 'bigint'],
  columns: { end: 'double precision', isLeft: 'boolean', fingerprint: 'text' },
  text: `
    SELECT m.feed_position::float8 AS end, at.id IS NOT NULL OR after.id IS NOT NULL AS "isLeft",
      CASE
        WHEN at.id IS NOT NULL THEN at.feed_fingerprint # rules.event_fingerprint(at.id, at.position)
        WHEN after.id IS NOT NULL THEN after.feed_fingerprint
        WHEN m.feed_position = $2::bigint THEN m.feed_fingerprint
      END::text AS fingerprint
    FROM merchants m
    LEFT JOIN events at ON at.merchant_id = $1 AND at.position = $2::bigint
    LEFT JOIN events after ON after.merchant_id = $1 AND after.position = $2::bigint + 1
    WHERE m.id = $1`,
});

interface StoredPosition {
  end: number;
  isLeft: boolean;
  fingerprint: string | null;
}

async function readPosition(tx: Queryable, merchantId: string, position: number): Promise<StoredPosition> {
  const [stored] = await run(tx, positionSql, [merchantId, position]);
  // The test data of the merchant was deleted, and the key was still in the cache.
  if (!stored) throw new FeedCursorExpired();
  return stored;
}

/**
 * Finds the fingerprint of a position, for the cursor of a reader that has read everything up to it.
 * @throws FeedCursorExpired when the events beside it were deleted
 */
export async function findFeedPosition(
  tx: Queryable,
  merchantId: string,
  position: number,
): Promise<FeedPosition> {
  const { fingerprint } = await readPosition(tx, merchantId, position);
  // The events beside the position were deleted meanwhile.
  if (fingerprint === null) throw new FeedCursorExpired();
  return { position, fingerprint };
}

/**
 * Whether a reader at this position can continue without missing an event: the feed up to it is what the reader has read,
 * and no event after it was deleted.
 */
export async function isFeedPositionValid(
  tx: Queryable,
  merchantId: string,
  { position, fingerprint }: FeedPosition,
): Promise<boolean> {
  const stored = await readPosition(tx, merchantId, position);
  // Events are deleted oldest first. If neither the event at the position is left nor the one after it, that one and
  // perhaps more were deleted before the reader had them.
  const isComplete = stored.isLeft || stored.end === position;
  // At the start nothing was read.
  return isComplete && (position === 0 || stored.fingerprint === fingerprint);
}

/** Finds the position before the first event that is left, or the end of the feed when none is left. */
export async function findFirstPosition(tx: Queryable, merchantId: string): Promise<number> {
  return (await readRange(tx, merchantId)).first - 1;
}

const rangeSql = statement<{ first: number; end: number }, [merchantId: string]>({
  name: 'find the range of the feed',
  parameters: ['text'],
  columns: { first: 'double precision', end: 'double precision' },
  text: `
    SELECT coalesce((
        SELECT position FROM events WHERE merchant_id = $1 AND position > 0 ORDER BY position LIMIT 1
      ), feed_position + 1)::float8 AS first,
      feed_position::float8 AS end
    FROM merchants WHERE id = $1`,
});

/** The position of the first event that is left, or of the next one; and the end of the feed. */
async function readRange(tx: Queryable, merchantId: string): Promise<{ first: number; end: number }> {
  const [feed] = await run(tx, rangeSql, [merchantId]);
  if (!feed) throw new FeedCursorExpired();
  return feed;
}

/** Finds the first event from a position on, and whether a reader that starts at a time has passed it, as `findOldestSql` does. */
const findFromSql = statement<
  { position: number; isEarlier: boolean },
  [merchantId: string, position: number, since: string]
>({
  name: 'find the event at a position of the feed',
  parameters: ['text', 'bigint', 'timestamp with time zone'],
  columns: { position: 'double precision', isEarlier: 'boolean' },
  text: `
    SELECT position::float8, created_at < ($3::timestamptz - interval '5 minutes') AS "isEarlier" FROM events
    WHERE merchant_id = $1 AND position >= $2 ORDER BY events.position LIMIT 1`,
});

/**
 * Finds the position before the events since a time, up to five minutes early. All events before it must have their positions.
 * Searches by halves: log2(n) look-ups.
 */
export async function findPositionBefore(tx: Queryable, merchantId: string, since: string): Promise<number> {
  const feed = await readRange(tx, merchantId);
  let { first } = feed;
  let last = feed.end + 1;
  while (first < last) {
    const middle = Math.floor((first + last) / 2);
    const [event] = await run(tx, findFromSql, [merchantId, middle, since]);
    if (event?.isEarlier) first = event.position + 1;
    else last = middle;
  }
  return first - 1;
}
