import type { Database } from '../client/client.ts';
import type { EndpointHealth } from './endpoint-health.ts';
import { isLive, isRetryDue } from '../deliveries/next-attempt.ts';

/** An endpoint that can be sent to now, with the merchant's signing keys (sealed). */
export interface SendableEndpoint {
  merchantId: string;
  id: string;
  url: string;
  /** Hours over which a delivery is retried; null follows the schedule. */
  retryHours: number | null;
  /** Not expired ones, newest first; `promoted` ones may make X-Service-Signature. */
  signingKeys: { id: string; secret: string; promoted: boolean }[];
  /** Whether retries that somebody asked for are to be sent now: those come first. */
  manualRetriesDue: boolean;
  /** Whether nothing else may be sent: Retry-After, open breaker, drain, or the rate limit of a new endpoint. */
  manualRetriesOnly: boolean;
  health: EndpointHealth;
}

const isReady = '(p.send_after IS NULL OR p.send_after <= now())';
const manualRetriesDue = `EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = p.id AND ${isRetryDue})`;

/** Names an endpoint of a merchant. */
export interface EndpointKey {
  merchantId: string;
  endpointId: string;
}

/** These endpoints, in the order asked for; undefined for one that nothing may be sent to now. */
export async function findSendableEndpoints(
  database: Database,
  names: EndpointKey[],
): Promise<(SendableEndpoint | undefined)[]> {
  const rows = await database.query<Omit<SendableEndpoint, 'health'> & EndpointHealth & { place: number }>(
    `SELECT w.place::int AS place, p.merchant_id AS "merchantId", p.id, p.url, p.retry_hours AS "retryHours",
       p.in_flight_limit AS "inFlightLimit", p.failures_in_a_row AS "failuresInARow", p.failing_since AS "failingSince",
       p.last_failed_at AS "lastFailedAt", p.burst_failures AS "burstFailures", p.burst_since AS "burstSince",
       p.breaker_opened_at AS "breakerOpenedAt", p.probes_failed AS "probesFailed",
       p.ramp_per_second AS "rampPerSecond", p.warned_at AS "warnedAt", p.first_success_at AS "firstSuccessAt",
       retries.due AS "manualRetriesDue", NOT ${isReady} AS "manualRetriesOnly", coalesce((
         SELECT jsonb_agg(jsonb_build_object('id', k.id, 'secret', k.secret, 'promoted', k.promoted_at <= now())
           ORDER BY k.created_at DESC)
         FROM signing_keys k WHERE k.merchant_id = p.merchant_id AND (k.expires_at IS NULL OR k.expires_at > now())
       ), '[]') AS "signingKeys"
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (merchant_id, endpoint_id, place)
     CROSS JOIN LATERAL (SELECT * FROM endpoints WHERE id = w.endpoint_id AND merchant_id = w.merchant_id OFFSET 0) p
     CROSS JOIN LATERAL (SELECT ${manualRetriesDue} AS due) retries
     WHERE ${isLive} AND (${isReady} OR retries.due)`,
    [names.map(({ merchantId }) => merchantId), names.map(({ endpointId }) => endpointId)],
  );
  const found = new Map(rows.map(({ place, ...row }) => [place, row]));
  return names.map((_, index) => {
    const row = found.get(index + 1);
    if (!row) return undefined;
    const {
      merchantId,
      id,
      url,
      retryHours,
      signingKeys,
      manualRetriesDue: due,
      manualRetriesOnly,
      ...health
    } = row;
    return { merchantId, id, url, retryHours, signingKeys, manualRetriesDue: due, manualRetriesOnly, health };
  });
}

/**
 * Endpoints that may be sent to and have deliveries due that nobody else wakes: retries, of the schedule or asked for, and
 * those whose wake-up must have been lost.
 */
export function listDueEndpoints(database: Database): Promise<EndpointKey[]> {
  return database.query(
    `SELECT p.merchant_id AS "merchantId", p.id AS "endpointId" FROM endpoints p
     WHERE ${isLive} AND (${isReady} AND EXISTS (SELECT 1 FROM deliveries d
       WHERE d.endpoint_id = p.id AND d.state = 'pending' AND d.next_attempt_at <= now()
         AND (d.schedule_step > 0 OR p.send_after IS NOT NULL OR d.next_attempt_at <= now() - interval '2 s'))
       OR ${manualRetriesDue})`,
    [],
  );
}
