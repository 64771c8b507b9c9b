import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { isLive, nextAttemptAt } from './next-attempt.ts';

/** Seconds between two retries that are sent although their endpoint is to be left alone. */
const secondsBetweenRetries = 1;

/**
 * Makes a delivery due now, under its old id and from the start of the schedule; also one that was delivered
 * or given up. It is sent although the endpoint's breaker is open or the endpoint is to be left alone for another reason:
 * such retries are sent one a second. Returns when it is sent. Undefined when there is none, when its endpoint is paused,
 * disabled or deleted, when its event is not to be sent any more, or when an erasure has changed that: an id never stands
 * for other bytes. The event is locked, so that an erasure comes before or after.
 */
export function retryDelivery(database: Database, merchantId: string, id: string): Promise<Date | undefined> {
  return retryConflicts(() =>
    transact(database, async (tx) => {
      // Locks the endpoint before its delivery, as a pause does. Who asks again keeps the time that was given before.
      const [given] = await tx.query<{ at: string }>(
        `UPDATE endpoints p SET retry_at = CASE WHEN d.state = 'pending' AND d.retry_at > now() THEN p.retry_at
           ELSE greatest(now(), p.retry_at + make_interval(secs => $3)) END
         FROM deliveries d
         WHERE d.merchant_id = $1 AND d.id = $2::uuid AND p.merchant_id = $1 AND p.id = d.endpoint_id AND ${isLive}
         RETURNING CASE WHEN d.state = 'pending' AND d.retry_at > now() THEN d.retry_at ELSE p.retry_at END::text AS at`,
        [merchantId, id, secondsBetweenRetries],
      );
      if (!given) return undefined;
      const [retried] = await tx.query<{ at: Date }>(
        `WITH sendable AS (
           SELECT e.id FROM deliveries d JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
           WHERE d.merchant_id = $1 AND d.id = $2::uuid AND e.erased_at IS NULL
             AND (e.expires_at IS NULL OR e.expires_at > now()) FOR SHARE OF e
         )
         UPDATE deliveries d SET state = 'pending', schedule_step = 0, next_attempt_at = now(), finished_at = NULL,
           retry_at = $3::timestamptz
         FROM endpoints p, sendable
         WHERE d.merchant_id = $1 AND d.id = $2::uuid AND p.id = d.endpoint_id AND sendable.id = d.event_id
         RETURNING ${nextAttemptAt} AS at`,
        [merchantId, id, given.at],
      );
      return retried?.at;
    }),
  );
}
