import type { Database } from '../client/client.ts';

/** How the time is cut: `step` is an interval, of which there are `count` up to now. */
export interface Buckets {
  step: '1 hour' | '6 hours' | '1 day';
  count: number;
}

/** What happened within a time. */
export interface ActivityFigures {
  orders: number;
  rewards_confirmed: number;
  rewards_revoked: number;
  deliveries: number;
  deliveries_succeeded: number;
  /** Whole time of the attempts in milliseconds; null without attempts. */
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface ActivityRow extends ActivityFigures {
  /** When the bucket begins, ISO 8601 in UTC; null for all of them together. */
  at: string | null;
  /** Orders by the reason of their newest judgement; each counts once, when that was made. */
  reasons: Record<string, number>;
}

/** The bucket of a time, by the merchant's clock. */
const bucketOf = (time: string) =>
  `date_bin($2::interval, ${time} AT TIME ZONE name, timestamp '2000-01-01')`;

/** Counts of one source by bucket, and over all of them where `local` is null. */
const counted = (figures: string, table: string, time: string, more = '') => `
  SELECT ${bucketOf(time)} AS local, ${figures} FROM ${table}, span
  WHERE merchant_id = $1 AND ${time} >= span.since ${more} GROUP BY GROUPING SETS ((1), ())`;

const homeSql = `
WITH span AS (
  SELECT name, first, first AT TIME ZONE name AS since
  FROM (SELECT rules.known_zone(timezone) AS name FROM merchants WHERE id = $1 OFFSET 0) zone,
    LATERAL (SELECT ${bucketOf('now()')} - $2::interval * ($3::int - 1) AS first) f
),
buckets AS (
  SELECT local, rules.iso_utc(local AT TIME ZONE name) AS at
  FROM span, generate_series(first, first + $2::interval * ($3::int - 1), $2::interval) AS local
  UNION ALL SELECT NULL, NULL
),
stored AS (${counted('count(*) AS n', 'orders', 'created_at')}),
confirmed AS (${counted('count(*) AS n', 'rewards', 'confirmed_at')}),
revoked AS (${counted('count(*) AS n', 'rewards', 'ended_at', `AND state = 'revoked'`)}),
sent AS (${counted(`count(*) AS n, count(*) FILTER (WHERE state = 'delivered') AS succeeded`, 'deliveries', 'created_at')}),
timed AS (${counted(
  `percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY (timings->>'totalMs')::float8) AS ms`,
  'attempts',
  'started_at',
)}),
judged AS (
  SELECT local, jsonb_object_agg(reason, n) AS reasons FROM (
    SELECT ${bucketOf('created_at')} AS local, reason, count(*) AS n FROM (
      SELECT DISTINCT ON (order_id) reason, created_at FROM decisions, span
      WHERE merchant_id = $1 AND created_at >= since ORDER BY order_id, number DESC) newest, span
    GROUP BY 1, 2) d GROUP BY local
)
SELECT b.at, coalesce(stored.n, 0)::float8 AS orders, coalesce(confirmed.n, 0)::float8 AS rewards_confirmed,
  coalesce(revoked.n, 0)::float8 AS rewards_revoked, coalesce(sent.n, 0)::float8 AS deliveries,
  coalesce(sent.succeeded, 0)::float8 AS deliveries_succeeded, round(timed.ms[1])::float8 AS p50_ms,
  round(timed.ms[2])::float8 AS p95_ms, coalesce(judged.reasons, '{}') AS reasons
FROM buckets b
LEFT JOIN stored ON stored.local IS NOT DISTINCT FROM b.local
LEFT JOIN confirmed ON confirmed.local IS NOT DISTINCT FROM b.local
LEFT JOIN revoked ON revoked.local IS NOT DISTINCT FROM b.local
LEFT JOIN sent ON sent.local IS NOT DISTINCT FROM b.local
LEFT JOIN timed ON timed.local IS NOT DISTINCT FROM b.local
LEFT JOIN judged ON judged.local = b.local
ORDER BY b.local NULLS LAST`;

/** What a merchant's last buckets hold, oldest first; the last row is all of them together. */
export function summarizeActivity(
  database: Database,
  merchantId: string,
  { step, count }: Buckets,
): Promise<ActivityRow[]> {
  return database.query<ActivityRow>(homeSql, [merchantId, step, count]);
}

/** What a new merchant has done by now. */
export interface Checklist {
  key_used: boolean;
  first_order: boolean;
  webhook_registered: boolean;
  signature_verified: boolean;
}

/** Looks what a merchant has done by now. */
export async function findChecklist(database: Database, merchantId: string): Promise<Checklist> {
  const [row] = await database.query<Checklist>(
    `SELECT EXISTS (SELECT 1 FROM api_keys WHERE merchant_id = $1 AND last_used_at IS NOT NULL) AS key_used,
       EXISTS (SELECT 1 FROM orders WHERE merchant_id = $1) AS first_order,
       EXISTS (SELECT 1 FROM endpoints WHERE merchant_id = $1 AND deleted_at IS NULL) AS webhook_registered,
       EXISTS (SELECT 1 FROM merchants WHERE id = $1 AND signature_checked_at IS NOT NULL) AS signature_verified`,
    [merchantId],
  );
  return row as Checklist;
}
