import type { EventType } from '@rewardhook/contract';
import { transact } from '../client/client.ts';
import type { Sql, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { run, statement } from '../client/statement.ts';
import { pageBytes } from '../reads/list-page.ts';
import {
  FeedCursorExpired,
  findFeedPosition,
  findFirstPosition,
  findPositionBefore,
  isFeedPositionValid,
} from './feed-position.ts';
import type { FeedPosition } from './feed-position.ts';
import { numberEvents, numberEventsBefore } from './number-events.ts';

/** A request for a page of the feed. */
export interface FeedQuery {
  /** The position of the reader: `next` of the page before. Null starts at the first event, or at `since`. */
  after: FeedPosition | null;
  /** ISO 8601. Starts up to five minutes before this time; at the end of the feed when it has no later event. */
  since?: string | undefined;
  /** Most events of a page. Large events are fewer: at most `pageBytes` together, but at least one. */
  limit: number;
  /** The event types that the reader handles, as an endpoint registers them. */
  types: EventType[];
}

export interface FeedPage {
  /** The exact texts of the events, in the order of their positions. */
  bodies: string[];
  /** The cursor of the next page, to be passed as `after`. Unchanged when there was nothing new. */
  next: FeedPosition;
  /** False when the reader has passed every event that was committed before the call. */
  hasMore: boolean;
}

/** The most events that one page scans to find those of the requested types. */
const scanLimit = 1_000;

/**
 * Lists a page of a merchant's events. A reader that continues from `next` gets each event once, regardless of the
 * order in which events are committed meanwhile: an event is numbered only after it was committed, by a reader whose
 * page is not full.
 * @throws FeedCursorExpired when the reader cannot continue from `after`; an error when too many events before `since` have
 * no position yet
 */
export async function listFeedPage(
  database: Sql,
  merchantId: string,
  { after, since, ...rest }: FeedQuery,
): Promise<FeedPage> {
  if (!after && since !== undefined) await numberEventsBefore(database, merchantId, since);
  return retryConflicts(() =>
    transact(database, async (tx) => {
      await preferIndexes(tx);
      const start = after
        ? await continueFrom(tx, merchantId, after)
        : await findStart(tx, merchantId, since);
      const query = { ...rest, after: start };
      // This is read first: events that another reader numbers from here on are visible to the next statement.
      const unnumbered = await hasUnnumberedEvents(tx, merchantId);
      let page = await listNumberedEvents(tx, merchantId, query);
      if (!page.hasMore && unnumbered) {
        const limit = query.limit + 1;
        const considered = await numberEvents(tx, merchantId, limit);
        page = await listNumberedEvents(tx, merchantId, query);
        page.hasMore ||= considered === limit;
      }
      const next = after && page.next === start ? after : await findFeedPosition(tx, merchantId, page.next);
      return { ...page, next };
    }),
  );
}

/**
 * Scans the numbered events after the cursor, and selects those of the requested types that have not expired: as many as fit
 * into a page. The last row is the end of the scan: the position of the last scanned event, and the numbers of scanned events and
 * of those that were selected, also without room for them.
 *
 * A reader of `reward.issue` alone never sees a revocation. It gets a reward that is issued again only if webhooks have
 * notified the merchant of the revocation in between; otherwise the reader still counts the former one as issued, and
 * would pay twice. A reader of both types gets every event. The time of the revocation counts, not its event, which may
 * have been deleted.
 */
const listNumberedSql = statement<
  NumberedRow,
  [merchantId: string, after: number, toScan: number, toSelect: number, types: string[], bytes: number]
>({
  name: 'list numbered events',
  parameters: ['text', 'bigint', 'bigint', 'bigint', 'text[]', 'bigint'],
  columns: { position: 'bigint', body: 'text', scanned: 'integer', selected: 'integer' },
  text: `
    WITH scanned AS MATERIALIZED (
      SELECT merchant_id, position, created_at, type, reward_id, expires_at, sample, body FROM events
      WHERE merchant_id = $1 AND position > $2
      ORDER BY position
      LIMIT $3
    ), selected AS (
      SELECT e.position, e.body FROM scanned e
      WHERE e.type = ANY($5)
        AND NOT e.sample
        AND (e.expires_at IS NULL OR e.expires_at > now())
        AND NOT (
          e.type = 'reward.issue' AND NOT 'reward.revoke' = ANY($5) AND EXISTS (
            SELECT 1 FROM rewards w
            CROSS JOIN LATERAL (
              -- The last reward for the same subject and role that was revoked before.
              SELECT b.id FROM rewards b
              WHERE b.merchant_id = w.merchant_id AND (b.referral_id = w.referral_id OR b.order_id = w.order_id)
                AND b.subject = w.subject AND b.role = w.role AND b.state = 'revoked' AND b.ended_at < e.created_at
              ORDER BY b.ended_at DESC
              LIMIT 1
            ) former
            WHERE w.merchant_id = e.merchant_id AND w.id = e.reward_id
              AND NOT rules.was_notified(w.merchant_id, former.id, 'reward.revoke')
          )
        )
      ORDER BY e.position
      LIMIT $4
    ), sized AS (
      SELECT position, body, row_number() OVER ordered AS number, sum(octet_length(body)) OVER ordered AS bytes
      FROM selected
      WINDOW ordered AS (ORDER BY position)
    )
    SELECT position, body, NULL::int AS scanned, NULL::int AS selected FROM sized WHERE number = 1 OR bytes <= $6
    UNION ALL
    SELECT max(position), NULL, count(*)::int, (SELECT count(*)::int FROM selected) FROM scanned
    ORDER BY scanned NULLS FIRST, position`,
});

interface NumberedRow {
  position: string | null;
  body: string | null;
  scanned: number | null;
  selected: number | null;
}

interface NumberedPage extends Omit<FeedPage, 'next'> {
  next: number;
}

async function listNumberedEvents(
  tx: Queryable,
  merchantId: string,
  { after, limit, types }: { after: number; limit: number; types: EventType[] },
): Promise<NumberedPage> {
  const toScan = Math.max(limit + 1, scanLimit);
  const rows = await run(tx, listNumberedSql, [merchantId, after, toScan, limit + 1, types, pageBytes]);
  const end = rows.at(-1);
  const page = rows.slice(0, -1).slice(0, limit);
  const bodies = page.map(({ body }) => body as string);
  if (page.length < (end?.selected ?? 0))
    return { bodies, next: Number(page.at(-1)?.position), hasMore: true };
  return { bodies, next: Number(end?.position ?? after), hasMore: end?.scanned === toScan };
}

/** @throws FeedCursorExpired */
async function continueFrom(tx: Queryable, merchantId: string, after: FeedPosition): Promise<number> {
  if (await isFeedPositionValid(tx, merchantId, after)) return after.position;
  // After a restore, the events that the reader has may be stored again and have no positions yet.
  await numberEvents(tx, merchantId, scanLimit);
  if (await isFeedPositionValid(tx, merchantId, after)) return after.position;
  throw new FeedCursorExpired();
}

async function findStart(tx: Queryable, merchantId: string, since: string | undefined): Promise<number> {
  return since !== undefined ? findPositionBefore(tx, merchantId, since) : findFirstPosition(tx, merchantId);
}

const hasUnnumberedSql = statement<{ found: boolean }, [merchantId: string]>({
  name: 'find events without a position',
  parameters: ['text'],
  columns: { found: 'boolean' },
  text: 'SELECT EXISTS (SELECT 1 FROM events WHERE merchant_id = $1 AND position IS NULL) AS found',
});

async function hasUnnumberedEvents(tx: Queryable, merchantId: string): Promise<boolean> {
  const [row] = await run(tx, hasUnnumberedSql, [merchantId]);
  return row?.found === true;
}
