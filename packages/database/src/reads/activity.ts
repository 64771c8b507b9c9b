import type { Queryable } from '../client/client.ts';
import { quarterOf } from '../operations/activity-counts.ts';

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
  /**
   * Total time of the attempts in milliseconds, of a sample of 1,000 where a bucket has more; null without attempts.
   */
  p50_ms: number | null;
  p95_ms: number | null;
  /** Orders by the reason of their newest decision, at its time. */
  reasons: Record<string, number>;
}

/** Attempts that are read of each tenth of a bucket, for the percentiles: as many as a merchant has, or a sample. */
const attemptsPerTenth = 100;

/**
 * Buckets are aligned to the merchant's local time. Orders, deliveries and reasons are those of `activity_counts`, and the rows
 * since. Of deliveries from before their retention only what is left counts: how the others ended is not known any more. Each source is
 * counted bucket by bucket, in an index by merchant and time and where possible in nothing but the index; the totals are sums.
 *
 *   $1  merchant id    $2  length of a bucket    $3  number of buckets
 */
const summarizeSql = `
  WITH span AS MATERIALIZED (
    SELECT zone, date_bin($2::interval, now() AT TIME ZONE zone, timestamp '2000-01-01')
      - $2::interval * ($3::int - 1) AS first
    FROM (SELECT rules.known_zone(timezone) AS zone FROM merchants WHERE id = $1 OFFSET 0) merchant
  ), times AS (
    SELECT number, (first + $2::interval * number) AT TIME ZONE zone AS since,
      (first + $2::interval * (number + 1)) AT TIME ZONE zone AS until
    FROM span, generate_series(0, $3::int - 1) AS number
  ), buckets AS MATERIALIZED (
    SELECT number, since, until, greatest(since, counted_until) AS uncounted_since
    FROM times LEFT JOIN activity_progress ON merchant_id = $1
  ), pruned AS MATERIALIZED (
    SELECT coalesce(max(${quarterOf('pruned_until')} + interval '15 minutes'), '-infinity') AS until
    FROM prunings WHERE table_name = 'deliveries'
  ), counts AS MATERIALIZED (
    SELECT b.number, c.subject, c.reason, sum(c.total) AS total
    FROM buckets b CROSS JOIN LATERAL (
      SELECT subject, reason, total FROM activity_counts
      WHERE merchant_id = $1 AND starts_at >= b.since AND starts_at < least(b.uncounted_since, b.until)
        AND (subject <> 'delivery' OR starts_at >= (SELECT until FROM pruned)) OFFSET 0) c
    GROUP BY 1, 2, 3
  ), pending AS MATERIALIZED (
    SELECT width_bucket(d.created_at, starts) - 1 AS number, count(*) AS total
    FROM (SELECT array_agg(since ORDER BY number) AS starts FROM buckets) b, endpoints p CROSS JOIN LATERAL (
      SELECT created_at FROM deliveries WHERE endpoint_id = p.id AND state = 'pending' OFFSET 0) d
    WHERE p.merchant_id = $1 AND d.created_at >= starts[1]
    GROUP BY 1
  ), uncounted_decisions AS MATERIALIZED (
    SELECT b.number AS bucket, d.*, lead(d.number) OVER of_order IS NULL AS is_newest, lag(d.number) OVER of_order AS last
    FROM buckets b CROSS JOIN LATERAL (
      SELECT order_id, number, reason, created_at FROM decisions
      WHERE merchant_id = $1 AND created_at >= b.uncounted_since AND created_at < b.until OFFSET 0) d
    WHERE b.uncounted_since < b.until
    WINDOW of_order AS (PARTITION BY d.order_id ORDER BY d.number)
  ), superseded_decisions AS (
    SELECT b.number AS bucket, d.reason
    FROM uncounted_decisions later CROSS JOIN LATERAL (
      SELECT reason, created_at FROM decisions
      WHERE merchant_id = $1 AND order_id = later.order_id AND number = later.number - 1 OFFSET 0) d
    JOIN buckets b ON d.created_at >= b.since AND d.created_at < least(b.uncounted_since, b.until)
    WHERE later.last IS NULL AND later.number > 1
  ), reasons AS MATERIALIZED (
    SELECT bucket AS number, jsonb_object_agg(reason, total) AS reasons
    FROM (
      SELECT bucket, reason, sum(total)::int AS total
      FROM (
        SELECT number AS bucket, reason, total FROM counts WHERE subject = 'decision'
        UNION ALL SELECT bucket, reason, 1 FROM uncounted_decisions WHERE is_newest
        UNION ALL SELECT bucket, reason, -1 FROM superseded_decisions
      ) added
      GROUP BY 1, 2 HAVING sum(total) > 0
    ) by_reason
    GROUP BY bucket
  ), counted AS MATERIALIZED (
    SELECT b.number, b.since,
      coalesce((SELECT total FROM counts c WHERE c.number = b.number AND c.subject = 'order'), 0)
        + (SELECT count(*) FROM orders
        WHERE merchant_id = $1 AND created_at >= b.uncounted_since AND created_at < b.until) AS orders,
      (SELECT count(*) FROM rewards
        WHERE merchant_id = $1 AND confirmed_at >= b.since AND confirmed_at < b.until) AS rewards_confirmed,
      (SELECT count(*) FROM rewards
        WHERE merchant_id = $1 AND ended_at >= b.since AND ended_at < b.until AND state = 'revoked') AS rewards_revoked,
      coalesce((SELECT total FROM counts c WHERE c.number = b.number AND c.subject = 'delivery'), 0)
        + (SELECT count(*) FROM deliveries
        WHERE merchant_id = $1 AND created_at >= b.since
          AND created_at < least(b.uncounted_since, b.until, (SELECT until FROM pruned)))
        + (SELECT count(*) FROM deliveries
        WHERE merchant_id = $1 AND created_at >= b.uncounted_since AND created_at < b.until) AS deliveries,
      (SELECT count(*) FROM deliveries
        WHERE merchant_id = $1 AND created_at >= b.since AND created_at < b.until
          AND state IN ('held', 'exhausted', 'cancelled'))
        + coalesce((SELECT total FROM pending p WHERE p.number = b.number), 0) AS undelivered
    FROM buckets b
  ), attempt_times AS MATERIALIZED (
    SELECT b.number, a.ms
    FROM buckets b, generate_series(0, 9) AS tenth, LATERAL (
      SELECT (timings->>'totalMs')::float8 AS ms FROM attempts
      WHERE merchant_id = $1 AND started_at >= b.since + (b.until - b.since) * tenth / 10
        AND started_at < b.since + (b.until - b.since) * (tenth + 1) / 10
      ORDER BY started_at LIMIT ${attemptsPerTenth}) a
  ), percentiles AS (
    SELECT number, percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY ms) AS ms
    FROM attempt_times GROUP BY GROUPING SETS ((number), ())
  ), sums AS (
    SELECT number, min(since) AS since, sum(orders) AS orders, sum(rewards_confirmed) AS rewards_confirmed,
      sum(rewards_revoked) AS rewards_revoked, sum(deliveries) AS deliveries,
      sum(deliveries) - sum(undelivered) AS delivered
    FROM counted GROUP BY GROUPING SETS ((number), ())
  )
  SELECT CASE WHEN s.number IS NOT NULL THEN rules.iso_utc(s.since) END AS at,
    coalesce(s.orders, 0)::float8 AS orders,
    coalesce(s.rewards_confirmed, 0)::float8 AS rewards_confirmed,
    coalesce(s.rewards_revoked, 0)::float8 AS rewards_revoked,
    coalesce(s.deliveries, 0)::float8 AS deliveries,
    coalesce(s.delivered, 0)::float8 AS deliveries_succeeded,
    round(p.ms[1])::float8 AS p50_ms,
    round(p.ms[2])::float8 AS p95_ms,
    coalesce(r.reasons, '{}') AS reasons
  FROM sums s
  LEFT JOIN percentiles p ON p.number IS NOT DISTINCT FROM s.number
  LEFT JOIN reasons r ON r.number = s.number
  ORDER BY s.number NULLS LAST`;

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

/** The most deliveries that are looked at for a first one that arrived. */
const mostFirst = 1_000;

/** Whether a reward of a merchant was delivered: among the oldest deliveries that are kept, without test events. */
export async function hasDeliveredReward(database: Queryable, merchantId: string): Promise<boolean> {
  const [row] = await database.query<{ found: boolean }>(
    `SELECT EXISTS (
       SELECT 1 FROM (SELECT * FROM deliveries WHERE merchant_id = $1 ORDER BY created_at LIMIT ${mostFirst}) d
       JOIN events e ON e.merchant_id = $1 AND e.id = d.event_id AND e.created_at = d.event_created_at
       WHERE d.state = 'delivered' AND e.type = 'reward.issue' AND NOT e.sample) AS found`,
    [merchantId],
  );
  return row?.found ?? false;
}
