import { hot, transact } from './client.ts';
import type { Database, Sql } from './client.ts';
import { insertNotice } from './notices.ts';
import type { NewNotice } from './notices.ts';

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

/** What a turn of deliveries has shown of an endpoint. */
export interface EndpointFinding {
  health: EndpointHealth;
  /** For how long nothing is to be sent to it from now on; a later end that is set already stays. */
  silentSeconds: number | null;
  /** Why it is disabled now; null when it is not. What is due to it is then held. */
  disabledReason: string | null;
  notices: NewNotice[];
}

/**
 * Stores what was found, with its notices, at once. An endpoint that fails, recovers and fails again is told of once a
 * day. Returns the notices that were made, and the endpoints that have something to be sent because of them.
 */
export async function storeEndpointFinding(
  database: Database,
  merchantId: string,
  endpointId: string,
  finding: EndpointFinding,
): Promise<{ told: NewNotice[]; endpointIds: string[] }> {
  if (finding.disabledReason === null && finding.notices.length === 0) {
    await updateHealth(hot(database), merchantId, endpointId, finding);
    return { told: [], endpointIds: [] };
  }
  return transact(database, async (tx) => {
    await updateHealth(tx, merchantId, endpointId, finding);
    if (finding.disabledReason !== null) await disable(tx, merchantId, endpointId, finding.disabledReason);
    const told: NewNotice[] = [];
    const endpointIds: string[] = [];
    for (const notice of finding.notices) {
      if (await wasToldToday(tx, merchantId, notice)) continue;
      endpointIds.push(...(await insertNotice(tx, merchantId, notice)));
      told.push(notice);
    }
    return { told, endpointIds };
  });
}

async function updateHealth(
  sql: Sql,
  merchantId: string,
  endpointId: string,
  { health, silentSeconds }: EndpointFinding,
): Promise<void> {
  await sql.query(
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

async function disable(tx: Sql, merchantId: string, endpointId: string, reason: string): Promise<void> {
  await tx.query(
    `UPDATE endpoints SET disabled_at = now(), disabled_reason = $3
     WHERE merchant_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [merchantId, endpointId, reason],
  );
  await tx.query(
    `UPDATE deliveries SET state = 'held', next_attempt_at = NULL
     WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
    [merchantId, endpointId],
  );
}

async function wasToldToday(tx: Sql, merchantId: string, { type, endpointId }: NewNotice): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM notices WHERE merchant_id = $1 AND endpoint_id = $2 AND type = $3
       AND created_at > now() - interval '1 day' AND $3 = 'endpoint.failing' LIMIT 1`,
    [merchantId, endpointId, type],
  );
  return rows.length > 0;
}
