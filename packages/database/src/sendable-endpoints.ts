import { hot } from './client.ts';
import type { Database } from './client.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/** An endpoint that can be sent to now, with the merchant's signing keys (sealed). */
export interface SendableEndpoint {
  merchantId: string;
  id: string;
  url: string;
  /** Hours over which a delivery is retried; null follows the schedule. */
  retryHours: number | null;
  /** Not expired ones, newest first; `promoted` ones may make X-Service-Signature. */
  signingKeys: { secret: string; promoted: boolean }[];
  health: EndpointHealth;
}

// Not deleted, disabled or paused, and not to be left alone for now (Retry-After, open breaker, drain).
const sendable = `p.deleted_at IS NULL AND p.disabled_at IS NULL AND p.paused_at IS NULL
  AND (p.send_after IS NULL OR p.send_after <= now())`;

/** The endpoint, or undefined when nothing may be sent to it now. */
export async function findSendableEndpoint(
  database: Database,
  merchantId: string,
  id: string,
): Promise<SendableEndpoint | undefined> {
  const [row] = await hot(database).query<Omit<SendableEndpoint, 'health'> & EndpointHealth>(
    `SELECT p.merchant_id AS "merchantId", p.id, p.url, p.retry_hours AS "retryHours",
       p.in_flight_limit AS "inFlightLimit", p.failures_in_a_row AS "failuresInARow", p.failing_since AS "failingSince",
       p.last_failed_at AS "lastFailedAt", p.burst_failures AS "burstFailures", p.burst_since AS "burstSince",
       p.breaker_opened_at AS "breakerOpenedAt", p.probes_failed AS "probesFailed",
       p.drain_per_second AS "drainPerSecond", p.warned_at AS "warnedAt", coalesce((
         SELECT jsonb_agg(jsonb_build_object('secret', k.secret, 'promoted', k.promoted_at <= now())
           ORDER BY k.created_at DESC)
         FROM signing_keys k WHERE k.merchant_id = p.merchant_id AND (k.expires_at IS NULL OR k.expires_at > now())
       ), '[]') AS "signingKeys"
     FROM endpoints p WHERE p.merchant_id = $1 AND p.id = $2 AND ${sendable}`,
    [merchantId, id],
  );
  if (!row) return undefined;
  const { url, retryHours, signingKeys, ...health } = row;
  return { merchantId, id, url, retryHours, signingKeys, health };
}

/** Endpoints that have deliveries due now and may be sent to. */
export function listDueEndpoints(database: Database): Promise<{ merchantId: string; endpointId: string }[]> {
  return hot(database).query(
    `SELECT p.merchant_id AS "merchantId", p.id AS "endpointId" FROM endpoints p
     WHERE ${sendable} AND EXISTS (SELECT 1 FROM deliveries d
       WHERE d.endpoint_id = p.id AND d.state = 'pending' AND d.next_attempt_at <= now())`,
    [],
  );
}
