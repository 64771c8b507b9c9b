import type { Database } from '../client/client.ts';
import { changeEndpoint, initialHealth, releaseHeldOf } from './endpoints.ts';

/**
 * Pauses an endpoint at the merchant's wish: what is due to it, and what falls due, is held. False when there is no
 * such endpoint or it is paused already.
 */
export async function pauseEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const { count } = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null, pausedAt: null },
      data: { pausedAt: new Date() },
    });
    if (count === 0) return false;
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: 'pending' },
      data: { state: 'held', nextAttemptAt: null, retryAt: null },
    });
    return true;
  });
}

/**
 * Ends a pause, from a clean slate: what was held becomes due, unless the endpoint is disabled besides. False when
 * there is no such endpoint or it is not paused.
 */
export async function resumeEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const [endpoint] = await tx.endpoint.updateManyAndReturn({
      where: { merchantId, id, deletedAt: null, pausedAt: { not: null } },
      data: { pausedAt: null, ...initialHealth },
      select: { disabledAt: true },
    });
    if (!endpoint) return false;
    if (endpoint.disabledAt === null) await releaseHeldOf(tx, merchantId, id);
    return true;
  });
}

/**
 * Sets over how many hours (1 to 720) deliveries to an endpoint are retried; null follows the schedule of 75 h. False
 * when there is no such endpoint.
 */
export async function updateRetryHours(
  database: Database,
  merchantId: string,
  id: string,
  retryHours: number | null,
): Promise<boolean> {
  const { count } = await database.endpoint.updateMany({
    where: { merchantId, id, deletedAt: null },
    data: { retryHours },
  });
  return count === 1;
}

/**
 * Makes due what is held although its endpoint is neither paused nor disabled: a judgement that saw it so committed
 * after it was resumed or enabled. Returns the endpoints that have something to be sent.
 */
export async function releaseHeldDeliveries(
  database: Database,
): Promise<{ merchantId: string; endpointId: string }[]> {
  return database.query(
    `WITH open AS MATERIALIZED (
       SELECT p.merchant_id, p.id FROM endpoints p
       WHERE p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL
         AND EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND d.state = 'held')
       FOR SHARE SKIP LOCKED
     ), released AS (
       UPDATE deliveries d SET state = 'pending', schedule_step = 0, next_attempt_at = now() FROM open
       WHERE d.merchant_id = open.merchant_id AND d.endpoint_id = open.id AND d.state = 'held'
       RETURNING d.merchant_id, d.endpoint_id
     )
     SELECT DISTINCT merchant_id AS "merchantId", endpoint_id AS "endpointId" FROM released`,
    [],
  );
}

/**
 * Cancels what still waits for endpoints that were deleted in the last hour: a judgement that saw one there committed
 * after its deletion. Returns how many.
 */
export async function cancelDeliveriesOfDeletedEndpoints(database: Database): Promise<number> {
  const cancelled = await database.query(
    `WITH gone AS MATERIALIZED (
       SELECT p.merchant_id, p.id FROM endpoints p
       WHERE p.deleted_at > now() - interval '1 hour'
         AND (EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND d.state = 'pending')
           OR EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND d.state = 'held'))
     )
     UPDATE deliveries d SET state = 'cancelled', next_attempt_at = NULL, finished_at = now() FROM gone
     WHERE d.merchant_id = gone.merchant_id AND d.endpoint_id = gone.id AND d.state IN ('pending', 'held')
     RETURNING d.id`,
    [],
  );
  return cancelled.length;
}
