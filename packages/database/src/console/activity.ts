import type { Queryable } from '../client/client.ts';

/** The buckets that time is divided into: `count` intervals of length `step`, up to now. */
export interface Buckets {
  step: '1 hour' | '6 hours' | '1 day';
  count: number;
}

/** The activity of a merchant in one bucket. */
export interface ActivityRow {
  /** The start of the bucket, ISO 8601 in UTC; null for the totals of all buckets. */
  at: string | null;
  orders: number;
  rewards_confirmed: number;
  rewards_revoked: number;
  deliveries: number;
  deliveries_succeeded: number;
  /** Total time of the attempts in milliseconds; null without attempts. */
  p50_ms: number | null;
  p95_ms: number | null;
  /** Orders by the reason of their newest decision; each counts once, at the time of that decision. */
  reasons: Record<string, number>;
}

/**
 * Buckets are aligned to the merchant's local time. Each source is counted by bucket and, by the empty grouping set,
 * in total; `bucket` is null for the total.
 *
 *   $1  merchant id    $2  length of a bucket    $3  number of buckets
 */
const summarizeSql = `
  WITH span AS (
    SELECT zone, first, first AT TIME ZONE zone AS since
    FROM (SELECT rules.known_zone(timezone) AS zone FROM merchants WHERE id = $1 OFFSET 0) merchant,
      LATERAL (
        SELECT date_bin($2::interval, now() AT TIME ZONE zone, timestamp '2000-01-01')
          - $2::interval * ($3::int - 1) AS first
      ) start
  ), buckets AS (
    SELECT bucket, rules.iso_utc(bucket AT TIME ZONE zone) AS at
    FROM span, generate_series(first, first + $2::interval * ($3::int - 1), $2::interval) AS bucket
    UNION ALL
    SELECT NULL, NULL
  ), stored_orders AS (
    SELECT date_bin($2::interval, created_at AT TIME ZONE zone, timestamp '2000-01-01') AS bucket,
      count(*) AS total
    FROM orders, span
    WHERE merchant_id = $1 AND created_at >= span.since
    GROUP BY GROUPING SETS ((1), ())
  ), confirmed_rewards AS (
    SELECT date_bin($2::interval, confirmed_at AT TIME ZONE zone, timestamp '2000-01-01') AS bucket,
      count(*) AS total
    FROM rewards, span
    WHERE merchant_id = $1 AND confirmed_at >= span.since
    GROUP BY GROUPING SETS ((1), ())
  ), revoked_rewards AS (
    SELECT date_bin($2::interval, ended_at AT TIME ZONE zone, timestamp '2000-01-01') AS bucket,
      count(*) AS total
    FROM rewards, span
    WHERE merchant_id = $1 AND ended_at >= span.since AND state = 'revoked'
    GROUP BY GROUPING SETS ((1), ())
  ), created_deliveries AS (
    SELECT date_bin($2::interval, created_at AT TIME ZONE zone, timestamp '2000-01-01') AS bucket,
      count(*) AS total, count(*) FILTER (WHERE state = 'delivered') AS delivered
    FROM deliveries, span
    WHERE merchant_id = $1 AND created_at >= span.since
    GROUP BY GROUPING SETS ((1), ())
  ), attempt_times AS (
    SELECT date_bin($2::interval, started_at AT TIME ZONE zone, timestamp '2000-01-01') AS bucket,
      percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY (timings->>'totalMs')::float8) AS ms
    FROM attempts, span
    WHERE merchant_id = $1 AND started_at >= span.since
    GROUP BY GROUPING SETS ((1), ())
  ), newest_decisions AS (
    SELECT DISTINCT ON (order_id) reason, created_at
    FROM decisions, span
    WHERE merchant_id = $1 AND created_at >= span.since
    ORDER BY order_id, number DESC
  ), decision_reasons AS (
    SELECT bucket, jsonb_object_agg(reason, total) AS reasons
    FROM (
      SELECT date_bin($2::interval, created_at AT TIME ZONE zone, timestamp '2000-01-01') AS bucket, reason,
        count(*) AS total
      FROM newest_decisions, span
      GROUP BY 1, 2
    ) counted
    GROUP BY bucket
  )
  SELECT b.at,
    coalesce(stored_orders.total, 0)::float8 AS orders,
    coalesce(confirmed_rewards.total, 0)::float8 AS rewards_confirmed,
    coalesce(revoked_rewards.total, 0)::float8 AS rewards_revoked,
    coalesce(created_deliveries.total, 0)::float8 AS deliveries,
    coalesce(created_deliveries.delivered, 0)::float8 AS deliveries_succeeded,
    round(attempt_times.ms[1])::float8 AS p50_ms,
    round(attempt_times.ms[2])::float8 AS p95_ms,
    coalesce(decision_reasons.reasons, '{}') AS reasons
  FROM buckets b
  LEFT JOIN stored_orders ON stored_orders.bucket IS NOT DISTINCT FROM b.bucket
  LEFT JOIN confirmed_rewards ON confirmed_rewards.bucket IS NOT DISTINCT FROM b.bucket
  LEFT JOIN revoked_rewards ON revoked_rewards.bucket IS NOT DISTINCT FROM b.bucket
  LEFT JOIN created_deliveries ON created_deliveries.bucket IS NOT DISTINCT FROM b.bucket
  LEFT JOIN attempt_times ON attempt_times.bucket IS NOT DISTINCT FROM b.bucket
  LEFT JOIN decision_reasons ON decision_reasons.bucket = b.bucket
  ORDER BY b.bucket NULLS LAST`;

/** Summarizes the activity of a merchant in the last buckets, oldest first; the last row is the total. */
export function summarizeActivity(
  database: Queryable,
  merchantId: string,
  { step, count }: Buckets,
): Promise<ActivityRow[]> {
  return database.query(summarizeSql, [merchantId, step, count]);
}

/** The steps of the set-up that a merchant has completed. */
export interface Checklist {
  key_used: boolean;
  first_order: boolean;
  webhook_registered: boolean;
  signature_verified: boolean;
}

/** Finds out which steps of the set-up a merchant has completed. */
export async function findChecklist(database: Queryable, merchantId: string): Promise<Checklist> {
  const [row] = await database.query<Checklist>(
    `SELECT
       EXISTS (SELECT 1 FROM api_keys WHERE merchant_id = $1 AND last_used_at IS NOT NULL) AS key_used,
       EXISTS (SELECT 1 FROM orders WHERE merchant_id = $1) AS first_order,
       EXISTS (SELECT 1 FROM endpoints WHERE merchant_id = $1 AND deleted_at IS NULL) AS webhook_registered,
       EXISTS (
         SELECT 1 FROM merchants WHERE id = $1 AND signature_checked_at IS NOT NULL
       ) AS signature_verified`,
    [merchantId],
  );
  return row as Checklist;
}
