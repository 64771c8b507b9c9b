import type { Answer, DisabledReason } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';
import { nextAttemptAt } from '../deliveries/next-attempt.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** The state of an endpoint, as the API answers with it. */
export type EndpointState = Answer<'Webhook'> & { disabled_reason: DisabledReason | null };

/** An endpoint with its health, as the console shows it. Date-times are ISO 8601 in UTC. */
export type EndpointRow = Omit<EndpointState, 'status'> & {
  breaker_opened_at: string | null;
  /** Whether the breaker is half-open: waiting deliveries are sent at an increasing rate. */
  half_open: boolean;
  /** When the next probe of an open breaker is sent; null while it is closed and while nothing is to be sent. */
  next_probe_at: string | null;
  probes_failed: number;
  /** Attempts of the last 24 hours as they were counted last, without those of test events, and those with a 2xx response. */
  attempts: number;
  succeeded: number;
  /** The 95th percentile of their durations in milliseconds, rounded up to a limit of the counts; null without attempts. */
  p95_ms: number | null;
  /** Deliveries that are pending and held. */
  waiting: number;
  held: number;
};

const stateColumns = `
  p.id, p.name, p.url, p.event_types, rules.iso_utc(p.created_at) AS created_at,
  CASE WHEN p.disabled_at IS NOT NULL THEN 'disabled' WHEN p.paused_at IS NOT NULL THEN 'paused'
    WHEN p.breaker_opened_at IS NOT NULL THEN 'failing' ELSE 'active' END AS status,
  rules.iso_utc(p.disabled_at) AS disabled_at, p.disabled_reason, rules.iso_utc(p.paused_at) AS paused_at,
  p.retry_hours, rules.iso_utc(p.failing_since) AS failing_since, p.failures_in_a_row`;

const ofMerchant = 'FROM endpoints p WHERE p.merchant_id = $1 AND p.deleted_at IS NULL';

/** A page of the states of a merchant's endpoints that are not deleted, oldest first. @throws CursorError */
export function listEndpointStates(
  database: Sql,
  merchantId: string,
  page: PageRequest,
): Promise<ListPage<EndpointState>> {
  const query = {
    columns: stateColumns,
    from: ofMerchant,
    values: [merchantId],
    time: 'p.created_at',
    id: 'p.id',
  };
  return listPage(database, { ...query, order: 'oldest first' }, page);
}

/** The state of an endpoint of the merchant that is not deleted, or undefined. */
export async function findEndpointState(
  database: Sql,
  merchantId: string,
  id: string,
): Promise<EndpointState | undefined> {
  const [state] = await database.query<EndpointState>(`SELECT ${stateColumns} ${ofMerchant} AND p.id = $2`, [
    merchantId,
    id,
  ]);
  return state;
}

/** The counted attempts of the last day, of all endpoints at once. $1 merchant id */
const health = `
  WITH health AS MATERIALIZED (
    SELECT endpoint_id, max(attempts) AS attempts, sum(succeeded) AS succeeded,
      min(within_ms) FILTER (WHERE up_to >= 0.95 * attempts) AS p95
    FROM (
      SELECT endpoint_id, within_ms, succeeded, sum(total) OVER (PARTITION BY endpoint_id ORDER BY within_ms) AS up_to,
        sum(total) OVER (PARTITION BY endpoint_id) AS attempts
      FROM (
        SELECT p.id AS endpoint_id, c.* FROM endpoints p
        CROSS JOIN LATERAL (
          SELECT within_ms, sum(total) AS total, sum(total) FILTER (WHERE outcome LIKE '2__') AS succeeded
          FROM attempt_counts
          WHERE merchant_id = $1 AND endpoint_id = p.id AND starts_at > now() - interval '24 hours'
          GROUP BY 1 OFFSET 0) c
        WHERE p.merchant_id = $1 AND p.deleted_at IS NULL) counted) ranked
    GROUP BY endpoint_id
  )`;

const columns = `
  p.id, p.name, p.url, p.event_types, rules.iso_utc(p.created_at) AS created_at,
  rules.iso_utc(p.disabled_at) AS disabled_at, p.disabled_reason, rules.iso_utc(p.paused_at) AS paused_at,
  p.retry_hours, rules.iso_utc(p.breaker_opened_at) AS breaker_opened_at, p.ramp_per_second IS NOT NULL AS half_open,
  rules.iso_utc(CASE WHEN p.breaker_opened_at IS NOT NULL THEN (
    SELECT min(${nextAttemptAt}) FROM deliveries d
    WHERE d.endpoint_id = p.id AND d.merchant_id = p.merchant_id AND d.state = 'pending'
  ) END) AS next_probe_at,
  p.probes_failed, rules.iso_utc(p.failing_since) AS failing_since, p.failures_in_a_row,
  coalesce(h.attempts, 0)::int AS attempts, coalesce(h.succeeded, 0)::int AS succeeded, h.p95 AS p95_ms,
  (
    SELECT count(*)::int FROM deliveries d
    WHERE d.endpoint_id = p.id AND d.merchant_id = p.merchant_id AND d.state = 'pending'
  ) AS waiting,
  CASE WHEN NOT p.holds_deliveries THEN 0 ELSE (
    SELECT count(*)::int FROM deliveries d
    WHERE d.merchant_id = p.merchant_id AND d.endpoint_id = p.id AND d.state = 'held'
  ) END AS held`;

const from = `FROM endpoints p LEFT JOIN health h ON h.endpoint_id = p.id
  WHERE p.merchant_id = $1 AND p.deleted_at IS NULL`;

/** A page of a merchant's endpoints that are not deleted, oldest first. @throws CursorError */
export function listEndpointsPage(
  database: Sql,
  merchantId: string,
  page: PageRequest,
): Promise<ListPage<EndpointRow>> {
  return listMatching(database, openConditions(merchantId), page);
}

/** An endpoint of the merchant, or undefined. */
export async function findEndpointDetails(
  database: Sql,
  merchantId: string,
  id: string,
): Promise<EndpointRow | undefined> {
  const conditions = openConditions(merchantId);
  conditions.add('p.id = ?', id);
  const { items } = await listMatching(database, conditions, { after: null, limit: 1 });
  return items[0];
}

function listMatching(
  database: Sql,
  { sql, values }: { sql: string; values: unknown[] },
  page: PageRequest,
): Promise<ListPage<EndpointRow>> {
  const query = { with: health, columns, from: from + sql, values, time: 'p.created_at', id: 'p.id' };
  return listPage(database, { ...query, order: 'oldest first' }, page);
}
