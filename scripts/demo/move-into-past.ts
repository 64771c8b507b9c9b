import { Client } from 'pg';
import { openDatabase } from '@rewardhook/database';
import { countAttempts } from '@rewardhook/database/operations';
import { ageOrders } from '@rewardhook/local-stack';
import type { PlannedLink, PlannedPhase } from './plan-year.ts';

// The API stores what it receives with the time of arrival. What a demo needs to have happened in the past is moved there.

/** Days for which the demo has deliveries; earlier ones are missing, as if they had been deleted after their retention. */
const deliveryDays = 60;

/**
 * Moves links to the times at which they were made, and reviews to a day later.
 *
 *   $1  merchant id    $2  referees    $3  times of their links
 */
const linksSql = [
  `UPDATE referrals r SET linked_at = link.at, reviewed_at = CASE WHEN r.reviewed_at IS NOT NULL THEN link.at + interval '1 day' END
   FROM unnest($2::text[], $3::timestamptz[]) AS link (referee, at)
   WHERE r.merchant_id = $1 AND r.referee_member_id = link.referee`,
  `UPDATE members m SET created_at = first.at
   FROM (
     SELECT member_id, min(linked_at) AS at FROM referrals, unnest(ARRAY[referee_member_id, referrer_member_id]) AS member_id
     WHERE merchant_id = $1 AND referee_member_id = ANY ($2::text[]) AND cardinality($3::timestamptz[]) > 0 GROUP BY 1) first
   WHERE m.merchant_id = $1 AND m.member_id = first.member_id`,
];

/** Events of orders from before the days of deliveries. */
const oldEvents = `SELECT e.id, e.created_at FROM events e
  JOIN rewards w ON w.merchant_id = e.merchant_id AND w.id = e.reward_id
  JOIN orders o ON o.merchant_id = w.merchant_id AND o.order_id = w.order_id
  WHERE e.merchant_id = $1 AND o.order_date < now() - interval '${deliveryDays} days'`;

const withoutOldDeliveries = [
  `DELETE FROM attempts a USING deliveries d, (${oldEvents}) e
   WHERE d.merchant_id = $1 AND d.event_id = e.id AND a.delivery_id = d.id AND a.merchant_id = $1`,
  `DELETE FROM deliveries d USING (${oldEvents}) e WHERE d.merchant_id = $1 AND d.event_id = e.id`,
  `DELETE FROM events t USING (${oldEvents}) e WHERE t.merchant_id = $1 AND t.id = e.id AND t.created_at = e.created_at`,
];

/** A week in which each delivery to a webhook arrived with its third attempt: before, the receiver answered 503. */
const failingWeek = [
  `CREATE TEMP TABLE failed ON COMMIT DROP AS
   SELECT d.id, d.endpoint_id, d.created_at FROM deliveries d JOIN endpoints p ON p.merchant_id = $1 AND p.id = d.endpoint_id
   WHERE d.merchant_id = $1 AND d.state = 'delivered' AND p.url LIKE '%/crm'
     AND d.created_at BETWEEN now() - interval '24 days' AND now() - interval '17 days'`,
  `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, timings, response_body, request_headers)
   SELECT a.delivery_id, 10 + n, a.merchant_id, a.endpoint_id, a.started_at + (n - 1) * interval '5 minutes', a.url, 503, a.timings,
     '{"error":"database is read-only"}', a.request_headers
   FROM attempts a JOIN failed f ON f.id = a.delivery_id, generate_series(1, 2) AS n WHERE a.merchant_id = $1`,
  `UPDATE attempts a SET number = 3, started_at = a.started_at + interval '35 minutes' FROM failed f
   WHERE a.merchant_id = $1 AND a.delivery_id = f.id AND a.number = 1`,
  `UPDATE attempts a SET number = a.number - 10 FROM failed f WHERE a.merchant_id = $1 AND a.delivery_id = f.id AND a.number > 10`,
  `UPDATE deliveries d SET attempts_made = 3, finished_at = d.finished_at + interval '35 minutes',
     last_attempt_at = d.last_attempt_at + interval '35 minutes' FROM failed f
   WHERE d.merchant_id = $1 AND d.id = f.id`,
];

/**
 * Lets the attempts of the last 31 days be counted again, where they were moved to: the health of a webhook is that of 30 days. The
 * progress comes first: its lock is what counting waits for.
 */
const uncounted = [
  `UPDATE attempt_progress SET counted_until = since, recounted_until = since
   FROM (SELECT date_trunc('day', now() - interval '31 days') AS since) start`,
  'DELETE FROM attempt_counts WHERE starts_at >= (SELECT counted_until FROM attempt_progress)',
];

/** Decisions that a later order of the member caused, under a later version: they were made when that order came. */
const laterDecisions = `UPDATE decisions d SET created_at = coalesce((
    SELECT min(o.created_at) FROM orders o
    WHERE o.merchant_id = $1 AND o.member_id = d.member_id AND o.created_at >= v.published_at), v.published_at)
  FROM program_versions v
  WHERE d.merchant_id = $1 AND v.merchant_id = $1 AND v.version = d.program_version AND d.created_at < v.published_at`;

/** Visits of share links: four before each link that was made. */
const clicksSql = `INSERT INTO click_counts (merchant_id, starts_at, total)
  SELECT $1, date_bin('15 minutes', linked_at - n * interval '5 hours', 'epoch'), count(*)
  FROM referrals, generate_series(0, 3) AS n
  WHERE merchant_id = $1 AND linked_at < now() - interval '2 days' GROUP BY 1, 2`;

/** Moves new links into the past, before the orders of their referees are evaluated. */
export const moveLinks = (databaseUrl: string, merchantId: string, links: PlannedLink[]): Promise<void> =>
  inTransaction(databaseUrl, async (sql) => {
    const parameters = [
      merchantId,
      links.map(({ referee }) => referee),
      links.map(({ linkedAt }) => linkedAt),
    ];
    for (const text of linksSql) await sql.query(text, parameters);
  });

/** Moves the orders with what became of them to their dates, and the versions of the program to those at which they came into force. */
export async function moveOrders(
  databaseUrl: string,
  merchantId: string,
  phases: PlannedPhase[],
): Promise<void> {
  await inTransaction(databaseUrl, async (sql) => {
    for (const text of withoutOldDeliveries) await sql.query(text, [merchantId]);
  });
  await ageOrders(databaseUrl, merchantId);
  await inTransaction(databaseUrl, async (sql) => {
    for (const text of [...failingWeek, clicksSql]) await sql.query(text, [merchantId]);
    await sql.query(
      `UPDATE program_versions v SET published_at = phase.at FROM unnest($2::timestamptz[]) WITH ORDINALITY AS phase (at, number)
       WHERE v.merchant_id = $1 AND v.version = phase.number`,
      [merchantId, phases.map(({ from }) => from)],
    );
    await sql.query(laterDecisions, [merchantId]);
    for (const text of uncounted) await sql.query(text);
    await sql.query('ANALYZE');
  });
  const database = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'rewardhook-demo' });
  try {
    await countAttempts(database);
  } finally {
    await database.$disconnect();
  }
}

async function inTransaction(databaseUrl: string, body: (sql: Client) => Promise<void>): Promise<void> {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  try {
    await sql.query('BEGIN');
    await body(sql);
    await sql.query('COMMIT');
  } finally {
    await sql.end();
  }
}
