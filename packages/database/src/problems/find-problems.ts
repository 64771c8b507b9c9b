import type { Queryable } from '../client/client.ts';
import type { ProblemKind } from '../states.ts';

/** A problem whose condition holds now. */
export interface FoundProblem {
  /** Empty for a problem of the operator. */
  merchantId: string;
  kind: ProblemKind;
  subject: string;
  number: number;
  error: string | null;
  /** Failures in a row of a failing webhook. */
  failures?: number | null;
  /** When the oldest of the deliveries that are counted was created, ISO 8601 in UTC; of the kinds about deliveries. */
  oldestAt?: string | null;
}

/** At most this many deliveries or referrals of a problem are counted. */
const counted = 10_001;

/** A budget is nearly used from this share on, in percent. */
const nearlyUsedPercent = 90;

/** The kinds that {@link findProblems} finds. */
export const frequentKinds = [
  'webhook_failing',
  'revocations_not_subscribed',
  'referrals_to_review',
  'budget_nearly_used',
  'signing_key_expiring',
] as const satisfies ProblemKind[];

/**
 * Finds the problems of live merchants, by the indexes of the workers.
 *
 * - A webhook fails when its breaker is open, or after three failures in a row over at least a minute: with one order an hour no
 *   breaker opens.
 * - Revocations are not subscribed to by a webhook that receives `reward.issue` and not `reward.revoke`, when rewards were revoked in the last week.
 * - A signing key expires within a week, and no other key stays.
 */
const findProblemsSql = `
  SELECT p.merchant_id AS "merchantId", 'webhook_failing' AS kind, p.id AS subject, waiting.number, failed.error,
    p.failures_in_a_row AS failures, waiting.oldest AS "oldestAt"
  FROM endpoints p JOIN merchants m ON m.id = p.merchant_id AND m.mode = 'live'
  CROSS JOIN LATERAL (
    SELECT least(count(*), ${counted})::int AS number, rules.iso_utc(min(created_at)) AS oldest FROM (
      SELECT found.created_at
      FROM (VALUES ('pending'), ('held')) AS wanted (state)
      CROSS JOIN LATERAL (
        SELECT created_at FROM deliveries
        WHERE endpoint_id = p.id AND state = wanted.state AND state IN ('pending', 'held', 'exhausted') AND promised
        ORDER BY created_at LIMIT ${counted}) found) bounded) waiting
  LEFT JOIN LATERAL (
    SELECT coalesce('status ' || a.status, a.error_class) AS error FROM attempts a
    WHERE a.merchant_id = p.merchant_id AND a.started_at > now() - interval '1 hour' AND a.endpoint_id = p.id
      AND (a.status IS NULL OR a.status NOT BETWEEN 200 AND 299)
    ORDER BY a.started_at DESC LIMIT 1) failed ON true
  -- Not sendable: a parked webhook can be failing too.
  WHERE p.deleted_at IS NULL AND NOT p.holds_deliveries AND p.operator_paused_at IS NULL
    AND (p.breaker_opened_at IS NOT NULL
      OR p.failures_in_a_row >= 3 AND p.last_failed_at >= p.failing_since + interval '1 minute')
  UNION ALL
  SELECT p.merchant_id, 'revocations_not_subscribed', p.id, revoked.number, NULL, NULL, NULL
  FROM endpoints p JOIN merchants m ON m.id = p.merchant_id AND m.mode = 'live'
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS number FROM (
      SELECT 1 FROM rewards w
      WHERE w.merchant_id = p.merchant_id AND w.ended_at > now() - interval '7 days' AND w.ended_at IS NOT NULL
        AND w.state = 'revoked'
      LIMIT ${counted}) bounded) revoked
  WHERE p.deleted_at IS NULL AND 'reward.issue' = ANY (p.event_types) AND NOT 'reward.revoke' = ANY (p.event_types)
    AND revoked.number > 0
  UNION ALL
  SELECT m.id, 'referrals_to_review', '', waiting.number, NULL, NULL, NULL
  FROM merchants m
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS number FROM (
      SELECT 1 FROM referrals WHERE merchant_id = m.id AND review = 'pending' LIMIT ${counted}) bounded) waiting
  WHERE m.mode = 'live' AND waiting.number > 0
  UNION ALL
  SELECT g.merchant_id, 'budget_nearly_used', '', least(100, trunc(100 * g.spent / g.budget))::int, NULL, NULL,
    NULL
  FROM programs g JOIN merchants m ON m.id = g.merchant_id AND m.mode = 'live'
  WHERE g.spent * 100 >= g.budget * ${nearlyUsedPercent}
  UNION ALL
  SELECT k.merchant_id, 'signing_key_expiring', (array_agg(k.id ORDER BY k.expires_at DESC))[1], 1, NULL,
    NULL, NULL
  FROM signing_keys k JOIN merchants m ON m.id = k.merchant_id AND m.mode = 'live'
  GROUP BY k.merchant_id
  HAVING max(coalesce(k.expires_at, 'infinity')) < now() + interval '7 days'`;

/** Finds the problems of all live merchants that are found by a few look-ups. */
export function findProblems(database: Queryable): Promise<FoundProblem[]> {
  return database.query<FoundProblem & Record<string, unknown>>(findProblemsSql);
}

/** The kinds that {@link findPromiseProblems} finds. */
export const promiseProblemKinds = [
  'webhook_disabled',
  'deliveries_exhausted',
  'no_webhook',
] as const satisfies ProblemKind[];

/** Acknowledged ones included: they stay open. */
const findPromiseProblemsSql = `
  SELECT p.merchant_id AS "merchantId", 'webhook_disabled' AS kind, p.id AS subject, coalesce(held.number, 0) AS number,
    p.disabled_reason ->> 'code' AS error, rules.iso_utc(held.oldest_at) AS "oldestAt"
  FROM endpoints p JOIN merchants m ON m.id = p.merchant_id AND m.mode = 'live'
  LEFT JOIN open_promises held
    ON held.merchant_id = p.merchant_id AND held.kind = 'delivered' AND held.subject = p.id AND held.holder = 'disabled'
  WHERE p.deleted_at IS NULL AND p.disabled_at IS NOT NULL
  UNION ALL
  SELECT merchant_id, CASE subject WHEN '' THEN 'no_webhook' ELSE 'deliveries_exhausted' END, subject, number, NULL,
    CASE WHEN subject <> '' THEN rules.iso_utc(oldest_at) END
  FROM open_promises WHERE kind = 'delivered' AND holder IN ('exhausted', 'no_webhook', 'acknowledged')`;

/**
 * Finds the problems of live merchants that the last count of promises shows. A count that is older than `countedWithinSeconds` is not to
 * be used: it neither opens nor closes a problem.
 */
export function findPromiseProblems(database: Queryable): Promise<FoundProblem[]> {
  return database.query<FoundProblem & Record<string, unknown>>(findPromiseProblemsSql);
}

/** Orders of the last hour, and of the week before, that are compared; with fewer there is no problem. */
const compared = { atLeast: 50, atMost: 500, risePercent: 30 };

/**
 * Finds merchants of whose orders of the last hour many more are of members without a referrer than of the week before: the shop may
 * no longer link its members. Only merchants with members that have a referrer can have this problem.
 */
const findUnreferredSql = `
  SELECT m.id AS "merchantId", 'orders_without_referrer' AS kind, '' AS subject, hour.unreferred AS number, NULL AS error
  FROM merchants m
  CROSS JOIN LATERAL (${shareOf("now() - interval '1 hour'", 'now()')}) hour
  CROSS JOIN LATERAL (${shareOf("now() - interval '7 days'", "now() - interval '1 hour'")}) week
  WHERE m.mode = 'live' AND hour.orders >= ${compared.atLeast} AND week.orders >= ${compared.atLeast}
    AND 100.0 * hour.unreferred / hour.orders >= 100.0 * week.unreferred / week.orders + ${compared.risePercent}`;

function shareOf(from: string, until: string): string {
  return `
    SELECT count(*)::int AS orders, (count(*) FILTER (WHERE NOT referred))::int AS unreferred FROM (
      SELECT EXISTS (
        SELECT 1 FROM referrals r WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id OFFSET 0
      ) AS referred
      FROM (
        SELECT merchant_id, member_id FROM orders
        WHERE merchant_id = m.id AND created_at >= ${from} AND created_at < ${until}
        ORDER BY created_at DESC LIMIT ${compared.atMost}) o
    ) sample`;
}

/** Finds the problems that reading many orders shows: once an hour. */
export function findUnreferredOrders(database: Queryable): Promise<FoundProblem[]> {
  return database.query<FoundProblem & Record<string, unknown>>(findUnreferredSql);
}
