import type { Database } from './client.ts';

/**
 * Makes a delivery due now, under its old id and from the start of the schedule; also one that was delivered
 * or given up. False when there is none, when its endpoint is paused, disabled or deleted, when its event is not to be
 * sent any more, or when an erasure has changed that: an id never stands for other bytes. The event is locked, so that
 * an erasure comes before or after.
 */
export async function retryDelivery(database: Database, merchantId: string, id: string): Promise<boolean> {
  const count = await database.$executeRaw`
    WITH told AS (
      SELECT e.id FROM deliveries d JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
      WHERE d.merchant_id = ${merchantId} AND d.id = ${id}::uuid AND e.erased_at IS NULL
        AND (e.expires_at IS NULL OR e.expires_at > now()) FOR SHARE OF e
    )
    UPDATE deliveries d SET state = 'pending', schedule_step = 0, next_attempt_at = now(), finished_at = NULL
    FROM endpoints p, told
    WHERE d.merchant_id = ${merchantId} AND d.id = ${id}::uuid AND p.id = d.endpoint_id AND told.id = d.event_id
      AND p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL`;
  return count === 1;
}
