import { transact } from '../client/client.ts';
import type { Queryable, Sql } from '../client/client.ts';
import { promiseHolders } from '../states.ts';
import type { ProblemKind, PromiseHolder, PromiseKind } from '../states.ts';

/*
 * A promise is what was accepted and is not done yet: orders that are stored and not evaluated, and rewards of live sides that
 * were not delivered, whatever holds them (docs/decisions/090-promises-and-problems.md). Housekeeping counts them; everything else reads what
 * it counted. Orders that are accepted and not stored are in Redis only.
 */

/** At most this many promises of a kind, a holder, and a webhook or merchant are counted. */
const counted = 10_001;

/** The time limit of a count, in milliseconds. */
const statementMs = 12_000;

/** Whether an operator has acknowledged the problem of the merchant `m` that nothing but the passing of time ends. */
const isAcknowledged = (kind: ProblemKind, subject: string) => `EXISTS (
            SELECT 1 FROM problems x
            WHERE x.merchant_id = m.id AND x.kind = '${kind}' AND x.subject = ${subject} AND x.resolved_at IS NULL
              AND x.acknowledged_until > now())`;

/** Deliveries that deliveries_open_idx has. */
const isOpen = "state IN ('pending', 'held', 'exhausted')";

/** Rewards that rewards_no_webhook_registered_idx has. */
const isWithoutWebhook = "no_webhook_registered AND state = 'confirmed'";

/**
 * Reads the webhooks with open deliveries, and the merchants with rewards without a webhook, one by one from their indexes: other webhooks
 * and merchants are not read. Deliveries are counted by endpoint and state. A delivery that has no retries left is not open when a replay under
 * a new id has delivered the same event. Of a merchant that uses the feed, and has read it in the last day, no reward waits for a webhook.
 */
export const countPromisesSql = `
  WITH RECURSIVE webhooks AS (
    (SELECT merchant_id, endpoint_id FROM deliveries WHERE ${isOpen} ORDER BY endpoint_id LIMIT 1)
    UNION ALL
    SELECT next.* FROM webhooks
    CROSS JOIN LATERAL (
      SELECT merchant_id, endpoint_id FROM deliveries WHERE ${isOpen} AND endpoint_id > webhooks.endpoint_id
      ORDER BY endpoint_id LIMIT 1) next
  ), unregistered AS (
    (SELECT merchant_id FROM rewards WHERE ${isWithoutWebhook} ORDER BY merchant_id LIMIT 1)
    UNION ALL
    SELECT next.* FROM unregistered
    CROSS JOIN LATERAL (
      SELECT merchant_id FROM rewards WHERE ${isWithoutWebhook} AND merchant_id > unregistered.merchant_id
      ORDER BY merchant_id LIMIT 1) next
  )
  INSERT INTO open_promises (merchant_id, kind, subject, holder, number, oldest_at)
  SELECT merchant_id, kind, subject, holder, least(sum(number), ${counted}), min(oldest_at)
  FROM (
    SELECT merchant_id, 'evaluated' AS kind, '' AS subject,
      CASE WHEN parked_at IS NULL THEN 'waiting' ELSE 'parked' END AS holder, orders AS number, due_since AS oldest_at
    FROM due_batches
    UNION ALL
    SELECT p.merchant_id, 'delivered', p.id,
      CASE WHEN open.state = 'exhausted' THEN
          CASE WHEN ${isAcknowledged('deliveries_exhausted', 'p.id')} THEN 'acknowledged' ELSE 'exhausted' END
        WHEN p.disabled_at IS NOT NULL THEN 'disabled'
        WHEN p.paused_at IS NOT NULL THEN 'paused'
        WHEN p.operator_paused_at IS NOT NULL THEN 'operator_paused' WHEN p.parked_at IS NOT NULL THEN 'parked'
        WHEN p.breaker_opened_at IS NOT NULL THEN 'breaker' ELSE 'sending' END,
      open.number, open.oldest_at
    FROM webhooks
    CROSS JOIN LATERAL (
      -- A webhook keeps its id when the data of its merchant is deleted: the deliveries have the former id of the merchant until then.
      SELECT * FROM endpoints
      WHERE merchant_id = coalesce(
          (SELECT live_merchant_id FROM wipes WHERE merchant_id = webhooks.merchant_id), webhooks.merchant_id)
        AND id = webhooks.endpoint_id AND deleted_at IS NULL OFFSET 0) p
    CROSS JOIN LATERAL (SELECT * FROM merchants WHERE id = p.merchant_id AND mode = 'live' OFFSET 0) m
    CROSS JOIN LATERAL (
      SELECT state, count(*) AS number, min(created_at) AS oldest_at FROM (
        SELECT wanted.state, found.created_at
        FROM (VALUES ('pending'), ('held')) AS wanted (state)
        CROSS JOIN LATERAL (
          SELECT created_at FROM deliveries
          WHERE endpoint_id = p.id AND state = wanted.state AND ${isOpen} AND promised
          ORDER BY created_at LIMIT ${counted}) found
        UNION ALL
        (SELECT d.state, d.created_at FROM deliveries d
         WHERE d.endpoint_id = p.id AND d.state = 'exhausted' AND d.promised AND NOT EXISTS (
           SELECT 1 FROM deliveries replayed
           WHERE replayed.merchant_id = d.merchant_id AND replayed.event_id = d.event_id
             AND replayed.endpoint_id = d.endpoint_id AND replayed.state = 'delivered'
           OFFSET 0)
         ORDER BY d.created_at LIMIT ${counted})
      ) bounded GROUP BY state
    ) open
    UNION ALL
    SELECT m.id, 'delivered', '', CASE WHEN ${isAcknowledged('no_webhook', "''")} THEN 'acknowledged' ELSE 'no_webhook' END,
      waiting.number, waiting.oldest_at
    FROM unregistered
    CROSS JOIN LATERAL (
      SELECT * FROM merchants
      WHERE id = unregistered.merchant_id AND mode = 'live'
        AND NOT (uses_feed AND coalesce(feed_read_at > now() - interval '1 day', false)) OFFSET 0) m
    CROSS JOIN LATERAL (
      SELECT count(*) AS number, min(confirmed_at) AS oldest_at FROM (
        SELECT confirmed_at FROM rewards
        WHERE merchant_id = m.id AND ${isWithoutWebhook}
        ORDER BY confirmed_at LIMIT ${counted}) bounded
    ) waiting
  ) open
  GROUP BY merchant_id, kind, subject, holder`;

/** The open promises of a merchant, a kind and a holder, whatever their webhook. */
const byHolder = `
  SELECT merchant_id, kind, holder, least(sum(number), ${counted})::int AS number, min(oldest_at) AS oldest_at
  FROM open_promises GROUP BY merchant_id, kind, holder`;

/** Counts the open promises and replaces the former counts. Counts at the same time run one after the other. */
export async function countPromises(database: Sql): Promise<void> {
  await transact(
    database,
    async (tx) => {
      await tx.execute('UPDATE promise_counts SET counted_at = clock_timestamp()');
      await tx.execute('DELETE FROM open_promises');
      await tx.execute(countPromisesSql);
    },
    { statementMs },
  );
}

/** The open promises of a merchant, a kind and a holder: at most 10,001 are counted. */
export interface OpenPromises {
  merchantId: string;
  kind: PromiseKind;
  holder: PromiseHolder;
  number: number;
  oldestSeconds: number;
}

/** The open promises of all merchants, of a kind and a holder. */
export type PromiseSum = Omit<OpenPromises, 'merchantId'>;

/** Lists the open promises, the oldest first, at most `limit`. */
export function listOpenPromises(database: Queryable, limit: number): Promise<OpenPromises[]> {
  return database.query<OpenPromises & Record<string, unknown>>(
    `SELECT merchant_id AS "merchantId", kind, holder, number,
       extract(epoch FROM now() - oldest_at)::float8 AS "oldestSeconds"
     FROM (${byHolder}) open ORDER BY oldest_at LIMIT $1`,
    [limit],
  );
}

/** The sums of the open promises, and how long ago they were counted. */
export interface PromiseSums {
  countedSeconds: number;
  /** One for each kind and holder that it can have; without promises the number and the age are 0. */
  sums: PromiseSum[];
}

const possible: { kind: PromiseKind; holder: PromiseHolder }[] = promiseHolders.flatMap((holder) => {
  const ofOrders = { kind: 'evaluated', holder } as const;
  const ofRewards = { kind: 'delivered', holder } as const;
  if (holder === 'waiting') return [ofOrders];
  return holder === 'parked' ? [ofOrders, ofRewards] : [ofRewards];
});

/** Reads the sums over all merchants. */
export async function readPromiseSums(database: Queryable): Promise<PromiseSums> {
  const [row] = await database.query<PromiseSums & Record<string, unknown>>(
    `SELECT extract(epoch FROM now() - counted_at)::float8 AS "countedSeconds", coalesce((
       SELECT json_agg(s) FROM (
         SELECT kind, holder, sum(number)::int AS number,
           extract(epoch FROM now() - min(oldest_at))::float8 AS "oldestSeconds"
         FROM (${byHolder}) open GROUP BY kind, holder) s), '[]') AS sums
     FROM promise_counts`,
  );
  if (!row) throw new Error('the table "promise_counts" is empty');
  const sums = possible.map(({ kind, holder }) => {
    const found = row.sums.find((sum) => sum.kind === kind && sum.holder === holder);
    return found ?? { kind, holder, number: 0, oldestSeconds: 0 };
  });
  return { countedSeconds: row.countedSeconds, sums };
}

/** Counts that are older show that nothing counts, in seconds. */
export const countedWithinSeconds = 60;

/** A reward that has waited longer is late, in seconds. */
const deliveredWithinSeconds = 900;

/** What the merchant or the operator has paused, and what the operator has acknowledged, is not late. */
const acceptedHolders: readonly PromiseHolder[] = ['paused', 'operator_paused', 'acknowledged'];

/** What only the merchant or its receiver can fix. */
const receiversHolders: readonly PromiseHolder[] = [
  'sending',
  'breaker',
  'disabled',
  'exhausted',
  'no_webhook',
];

/** Which late rewards are counted: all, or without those that only a receiver can fix. */
export const promiseScopes = ['all', 'service'] as const;
export type PromiseScope = (typeof promiseScopes)[number];

/** Counts the rewards that are late: the sum over the merchants and holders whose oldest one is. */
export async function countLateRewards(database: Queryable, scope: PromiseScope): Promise<number> {
  const ignored = scope === 'all' ? acceptedHolders : [...acceptedHolders, ...receiversHolders];
  const [row] = await database.query<{ number: number }>(
    `SELECT coalesce(sum(number), 0)::int AS number FROM (${byHolder}) open
     WHERE kind = 'delivered' AND holder <> ALL ($1) AND oldest_at < now() - make_interval(secs => $2)`,
    [ignored, deliveredWithinSeconds],
  );
  return row?.number ?? 0;
}
