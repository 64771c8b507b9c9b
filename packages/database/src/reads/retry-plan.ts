import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';

/** Why a delivery cannot be retried. */
export type RetryRefusal =
  | 'webhook_deleted'
  | 'webhook_disabled'
  | 'webhook_paused'
  | 'webhook_parked'
  | 'event_erased'
  | 'event_expired'
  | 'not_found';

/**
 * What a retry would do with a delivery. `later`: its webhook is backing off, so it is sent one second after the one before it;
 * `resumed`: when the operator resumes deliveries.
 */
export interface PlannedRetry {
  id: string;
  does: 'now' | 'later' | 'resumed' | 'refused';
  refusal: RetryRefusal | null;
}

/** What `retryDeliveries` would do now with each of these deliveries, by the same conditions. $1 merchant id, $2 ids */
const planSql = `
  SELECT wanted.id::text AS id, CASE
      WHEN refused.why IS NOT NULL THEN 'refused' WHEN d.operator_paused_at IS NOT NULL THEN 'resumed'
      WHEN d.breaker_opened_at IS NOT NULL OR d.ramp_per_second IS NOT NULL OR d.send_after > now() THEN 'later' ELSE 'now' END AS does,
    refused.why AS refusal
  FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, number)
  LEFT JOIN LATERAL (
    SELECT p.*, d.event_id, d.event_created_at FROM deliveries d
    JOIN endpoints p ON p.merchant_id = $1 AND p.id = d.endpoint_id
    WHERE d.id = wanted.id AND d.merchant_id = $1 OFFSET 0) d ON true
  LEFT JOIN LATERAL (
    SELECT erased_at, expires_at FROM events
    WHERE merchant_id = $1 AND id = d.event_id AND events.created_at = d.event_created_at OFFSET 0) e ON true
  CROSS JOIN LATERAL (
    SELECT CASE WHEN d.id IS NULL THEN 'not_found' WHEN d.deleted_at IS NOT NULL THEN 'webhook_deleted'
      WHEN d.disabled_at IS NOT NULL THEN 'webhook_disabled' WHEN d.paused_at IS NOT NULL THEN 'webhook_paused'
      WHEN d.parked_at IS NOT NULL THEN 'webhook_parked' WHEN e.erased_at IS NOT NULL THEN 'event_erased'
      WHEN e.expires_at <= now() THEN 'event_expired' END AS why) refused
  ORDER BY wanted.number`;

/** Plans a retry of deliveries, in the order of their ids. */
export const planRetries = (
  database: Queryable,
  merchantId: string,
  ids: string[],
): Promise<PlannedRetry[]> => database.query<PlannedRetry>(planSql, [merchantId, textArray(ids)]);

/**
 * The oldest delivery that waits for a webhook, or undefined: a retry of it shows whether the webhook works again. `deliveries_open_idx` has
 * them in the order of their times, those that are promised and the others.
 */
export async function findOldestWaiting(
  database: Queryable,
  merchantId: string,
  endpointId: string,
): Promise<string | undefined> {
  const oldest = (promised: boolean) =>
    `(SELECT id, created_at FROM deliveries
      WHERE endpoint_id = $2 AND merchant_id = $1 AND state = 'pending' AND promised = ${promised} ORDER BY created_at LIMIT 1)`;
  const [found] = await database.query<{ id: string }>(
    `SELECT id::text FROM (${oldest(true)} UNION ALL ${oldest(false)}) d ORDER BY created_at LIMIT 1`,
    [merchantId, endpointId],
  );
  return found?.id;
}
