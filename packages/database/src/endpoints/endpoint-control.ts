import type { DisabledReason } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { dueNow, noNextAttempt } from '../deliveries/next-attempt.ts';
import { changeEndpoint } from './endpoints.ts';
import { resetHealth } from './endpoint-health.ts';
import type { EndpointKey } from './sendable-endpoints.ts';

/**
 * Pauses an endpoint at the merchant's request: its deliveries are held, also those that become due later. False when
 * the merchant has no such endpoint or it is paused already.
 */
export function pauseEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const paused = await tx.execute(
      `UPDATE endpoints SET paused_at = now()
       WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND paused_at IS NULL`,
      [merchantId, id],
    );
    if (paused === 0) return false;
    await holdDeliveries(tx, merchantId, id);
    await audit(tx);
    return true;
  });
}

/**
 * Ends a pause and resets the health of the endpoint. Its held deliveries become due, unless the endpoint is disabled too.
 * False when the merchant has no such endpoint or it is not paused.
 */
export function resumeEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const [endpoint] = await tx.query<{ disabled: boolean }>(
      `UPDATE endpoints SET paused_at = NULL, ${resetHealth}
       WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND paused_at IS NOT NULL
       RETURNING disabled_at IS NOT NULL AS disabled`,
      [merchantId, id],
    );
    if (!endpoint) return false;
    if (!endpoint.disabled) await restartHeldDeliveries(tx, merchantId, id);
    await audit(tx);
    return true;
  });
}

/**
 * Enables a disabled endpoint and resets its health. Its held deliveries become due, unless it is paused too. False when
 * the merchant has no such endpoint or it is not disabled.
 */
export function enableEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const [endpoint] = await tx.query<{ paused: boolean }>(
      `UPDATE endpoints SET disabled_at = NULL, disabled_reason = NULL, ${resetHealth}
       WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL AND disabled_at IS NOT NULL
       RETURNING paused_at IS NOT NULL AS paused`,
      [merchantId, id],
    );
    if (!endpoint) return false;
    if (!endpoint.paused) await restartHeldDeliveries(tx, merchantId, id);
    await audit(tx);
    return true;
  });
}

/**
 * Sets over how many hours (1 to 720) deliveries to an endpoint are retried; null follows the schedule of 75 h. False
 * when the merchant has no such endpoint.
 */
export function updateRetryHours(
  database: Database,
  merchantId: string,
  id: string,
  retryHours: number | null,
): Promise<boolean> {
  return transact(database, async (tx) => {
    const updated = await tx.execute(
      'UPDATE endpoints SET retry_hours = $3 WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL',
      [merchantId, id, retryHours],
    );
    if (updated === 1) await audit(tx, { subjectId: id, details: { retryHours } });
    return updated === 1;
  });
}

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
  await holdDeliveries(tx, merchantId, endpointId);
  return disabled === 1;
}

async function holdDeliveries(tx: Queryable, merchantId: string, endpointId: string): Promise<void> {
  await tx.query(
    `UPDATE deliveries SET state = 'held', ${noNextAttempt}, retry_at = NULL
     WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
    [merchantId, endpointId],
  );
}

/** Makes held deliveries due, from the start of the schedule. */
async function restartHeldDeliveries(tx: Queryable, merchantId: string, endpointId: string): Promise<void> {
  await tx.query(
    `UPDATE deliveries SET state = 'pending', schedule_step = 0, ${dueNow}
     WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'held'`,
    [merchantId, endpointId],
  );
}

/**
 * Makes deliveries due that are held although their endpoint is neither paused nor disabled: an evaluation that read it
 * as paused or disabled was committed after it was resumed or enabled. Returns the endpoints that have deliveries due now.
 */
export function releaseHeldDeliveries(database: Database): Promise<EndpointKey[]> {
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
export function cancelDeliveriesOfDeletedEndpoints(database: Database): Promise<number> {
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
