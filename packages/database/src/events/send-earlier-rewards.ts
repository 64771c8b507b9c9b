import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { run, statement } from '../client/statement.ts';

/** Confirmed rewards whose `reward.issue` was stored while no webhook had registered for it, and what becomes of them. */
export interface EarlierRewards {
  /** Rewards whose event is sent to the webhook, or would be. */
  count: number;
  /** Rewards that are left out because their event is no longer kept, or has no member because of an erasure. */
  skipped: Partial<Record<EarlierRewardSkip, number>>;
  /** False when the time was not enough for all. Repeat it for the rest. */
  complete: boolean;
}

/** Why the event of a reward is not sent. */
export type EarlierRewardSkip = 'event_expired' | 'event_erased';

/** Rewards of one statement: it stays short, however many there are. */
const pageSize = 1_000;

interface Page {
  sent: number;
  expired: number;
  erased: number;
  scanned: number;
  cursorTime: string;
  cursorId: string;
}

/**
 * Sends the events of the next rewards to an endpoint, or only counts them (`$3`). The ids and bytes of the events stay. What another
 * transaction has locked is left for the next call, so this waits for nobody: an evaluation may revoke such a reward, and an erasure
 * may change its event.
 */
const sendEarlierRewardsSql = statement<
  Page,
  [merchantId: string, endpointId: string, send: boolean, cursorTime: string, cursorId: string, limit: number]
>({
  name: 'send the events of earlier rewards',
  parameters: ['text', 'text', 'boolean', 'timestamp with time zone', 'text', 'bigint'],
  columns: {
    sent: 'integer',
    expired: 'integer',
    erased: 'integer',
    scanned: 'integer',
    cursorTime: 'text',
    cursorId: 'text',
  },
  text: `
    WITH scanned AS MATERIALIZED (
      SELECT id, confirmed_at FROM rewards
      WHERE merchant_id = $1 AND no_webhook_registered AND state = 'confirmed'
        AND confirmed_at >= $4::timestamptz AND (confirmed_at > $4::timestamptz OR id > $5::text)
      ORDER BY confirmed_at, id
      LIMIT $6
    ), candidates AS MATERIALIZED (
      SELECT s.id, s.confirmed_at, e.id AS event_id, e.created_at AS event_created_at, e.erased_at IS NOT NULL AS erased
      FROM scanned s
      LEFT JOIN LATERAL (
        SELECT id, created_at, erased_at FROM events
        WHERE merchant_id = $1 AND reward_id = s.id AND type = 'reward.issue' AND NOT sample OFFSET 0
      ) e ON true
    ), locked AS MATERIALIZED (
      SELECT c.event_id, c.event_created_at, r.row,
        CASE WHEN p.holds_deliveries THEN 'held' ELSE 'pending' END AS state
      FROM (
        SELECT holds_deliveries FROM endpoints
        WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND 'reward.issue' = ANY(event_types)
      ) p
      CROSS JOIN candidates c
      CROSS JOIN LATERAL (
        SELECT 1 FROM events
        WHERE merchant_id = $1 AND id = c.event_id AND created_at = c.event_created_at AND erased_at IS NULL
        OFFSET 0 FOR SHARE SKIP LOCKED
      ) e
      CROSS JOIN LATERAL (
        SELECT ctid AS row, no_webhook_registered AND state = 'confirmed' AS waits FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND id >= c.id AND id <= c.id
        ORDER BY id OFFSET 0 FOR NO KEY UPDATE SKIP LOCKED
      ) r
      WHERE $3 AND c.event_id IS NOT NULL AND NOT c.erased AND r.waits
    ), added AS (
      INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, next_attempt_at, promised)
      SELECT rules.delivery_id($1, event_id, $2, ''), $1, event_id, event_created_at, $2, state,
        CASE state WHEN 'pending' THEN clock_timestamp() END, true
      FROM locked
    ), notified AS (
      UPDATE rewards w SET issued_to = w.issued_to || $2::text, no_webhook_registered = false
      FROM locked WHERE w.ctid = locked.row
    ), counted AS (
      SELECT count(*) FILTER (WHERE event_id IS NULL)::int AS expired,
        count(*) FILTER (WHERE erased)::int AS erased,
        count(*) FILTER (WHERE event_id IS NOT NULL AND NOT erased)::int AS sendable,
        count(*)::int AS scanned
      FROM candidates
    )
    SELECT CASE WHEN $3 THEN (SELECT count(*)::int FROM locked) ELSE counted.sendable END AS sent,
      counted.expired, counted.erased, counted.scanned,
      last.confirmed_at::text AS "cursorTime", last.id AS "cursorId"
    FROM counted
    LEFT JOIN LATERAL (SELECT * FROM scanned ORDER BY confirmed_at DESC, id DESC LIMIT 1) last ON true`,
});

/**
 * Counts the confirmed rewards of which no webhook was notified because none had registered for `reward.issue`, for at most these
 * milliseconds. Changes nothing.
 */
export function countEarlierRewards(
  database: Database,
  merchantId: string,
  endpointId: string,
  milliseconds = Infinity,
): Promise<EarlierRewards> {
  return visitPages(milliseconds, (cursor) =>
    transact(database, (tx) => readPage(tx, merchantId, endpointId, false, cursor)),
  );
}

/**
 * Sends the `reward.issue` of these rewards to an endpoint, the oldest first, for at most these milliseconds. From then on they
 * count as notified: no other endpoint gets them, and their revocation goes to this one.
 */
export function sendEarlierRewards(
  database: Database,
  merchantId: string,
  endpointId: string,
  milliseconds = Infinity,
): Promise<EarlierRewards> {
  return visitPages(milliseconds, (cursor) =>
    transact(database, async (tx) => {
      const page = await readPage(tx, merchantId, endpointId, true, cursor);
      await audit(tx);
      return page;
    }),
  );
}

type Cursor = Pick<Page, 'cursorTime' | 'cursorId'>;

async function readPage(
  tx: Queryable,
  merchantId: string,
  endpointId: string,
  send: boolean,
  { cursorTime, cursorId }: Cursor,
): Promise<Page> {
  await preferIndexes(tx);
  const values = [merchantId, endpointId, send, cursorTime, cursorId, pageSize] as const;
  const [page] = await run(tx, sendEarlierRewardsSql, [...values]);
  if (!page) throw new Error('a page of earlier rewards returned no row');
  return page;
}

async function visitPages(
  milliseconds: number,
  readNext: (cursor: Cursor) => Promise<Page>,
): Promise<EarlierRewards> {
  const until = performance.now() + milliseconds;
  const sums = { sent: 0, expired: 0, erased: 0 };
  let cursor: Cursor = { cursorTime: '-infinity', cursorId: '' };
  let complete = false;
  do {
    const page = await readNext(cursor);
    sums.sent += page.sent;
    sums.expired += page.expired;
    sums.erased += page.erased;
    cursor = page;
    complete = page.scanned < pageSize;
  } while (!complete && performance.now() < until);
  const skipped = {
    ...(sums.expired > 0 && { event_expired: sums.expired }),
    ...(sums.erased > 0 && { event_erased: sums.erased }),
  };
  return { count: sums.sent, skipped, complete };
}
