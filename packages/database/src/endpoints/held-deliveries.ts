import type { DisabledReason } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';
import { dueNow, noNextAttempt } from '../deliveries/next-attempt.ts';
import type { EndpointKey } from './sendable-endpoints.ts';

/** Disables an endpoint, within a transaction: its deliveries are held. False when it is disabled already. */
export async function disableEndpoint(
  tx: Queryable,
  { merchantId, endpointId }: EndpointKey,
  reason: DisabledReason,
): Promise<boolean> {
  const disabled = await tx.execute(
    `UPDATE endpoints SET disabled_at = now(), disabled_reason = $3::jsonb
     WHERE merchant_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [merchantId, endpointId, JSON.stringify(reason)],
  );
  await tx.query(
    `UPDATE deliveries SET state = 'held', ${noNextAttempt}, retry_at = NULL
     WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
    [merchantId, endpointId],
  );
  return disabled === 1;
}

/**
 * Makes deliveries due that are held although their endpoint is neither paused nor disabled: an evaluation that read it
 * as paused or disabled was committed after it was resumed or enabled. Returns the endpoints that have deliveries due now.
 */
export function releaseHeldDeliveries(database: Queryable): Promise<EndpointKey[]> {
  return database.query(
    `WITH open AS MATERIALIZED (
       SELECT p.merchant_id, p.id FROM endpoints p
       WHERE p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL
         AND EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND d.state = 'held')
       FOR SHARE SKIP LOCKED
     ), released AS (
       UPDATE deliveries d SET state = 'pending', schedule_step = 0, ${dueNow}
       FROM open
       WHERE d.merchant_id = open.merchant_id AND d.endpoint_id = open.id AND d.state = 'held'
       RETURNING d.merchant_id, d.endpoint_id
     )
     SELECT DISTINCT merchant_id AS "merchantId", endpoint_id AS "endpointId" FROM released`,
  );
}

/**
 * Cancels the deliveries to endpoints that were deleted in the last hour: an evaluation that read the endpoint before was
 * committed after its deletion. Returns how many deliveries were cancelled.
 */
export function cancelDeliveriesOfDeletedEndpoints(database: Queryable): Promise<number> {
  return database.execute(
    `WITH deleted AS MATERIALIZED (
       SELECT p.merchant_id, p.id FROM endpoints p
       WHERE p.deleted_at > now() - interval '1 hour'
         AND (EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND d.state = 'pending')
           OR EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND d.state = 'held'))
     )
     UPDATE deliveries d SET state = 'cancelled', ${noNextAttempt}, finished_at = now()
     FROM deleted
     WHERE d.merchant_id = deleted.merchant_id AND d.endpoint_id = deleted.id AND d.state IN ('pending', 'held')`,
  );
}
