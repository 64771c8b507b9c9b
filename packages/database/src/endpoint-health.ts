import { hot } from './client.ts';
import type { Database } from './client.ts';

/** What is known of how an endpoint answers; all workers share it. */
export interface EndpointHealth {
  /** Requests in flight that it has shown to bear. */
  inFlightLimit: number;
  failuresInARow: number;
  failingSince: Date | null;
  lastFailedAt: Date | null;
  burstFailures: number;
  burstSince: Date | null;
  breakerOpenedAt: Date | null;
  probesFailed: number;
  /** Deliveries that may go out within the next second, after the breaker closed; null is no limit. */
  drainPerSecond: number | null;
  warnedAt: Date | null;
}

/**
 * Stores the health of an endpoint. `silentSeconds` is for how long nothing is to be sent to it from now on; a later
 * end that is set already stays, unless the breaker closed.
 */
export async function saveEndpointHealth(
  database: Database,
  merchantId: string,
  endpointId: string,
  health: EndpointHealth,
  silentSeconds: number | null,
): Promise<void> {
  await hot(database).query(
    `UPDATE endpoints SET in_flight_limit = $3, failures_in_a_row = $4, failing_since = $5, last_failed_at = $6,
       burst_failures = $7, burst_since = $8, breaker_opened_at = $9, probes_failed = $10, drain_per_second = $11,
       warned_at = $12,
       send_after = CASE WHEN $13::double precision IS NULL THEN send_after
         ELSE greatest(send_after, now() + make_interval(secs => $13)) END
     WHERE merchant_id = $1 AND id = $2`,
    [
      merchantId,
      endpointId,
      health.inFlightLimit,
      health.failuresInARow,
      health.failingSince,
      health.lastFailedAt,
      health.burstFailures,
      health.burstSince,
      health.breakerOpenedAt,
      health.probesFailed,
      health.drainPerSecond,
      health.warnedAt,
      silentSeconds,
    ],
  );
}
