import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { insertNotice } from './notices.ts';
import type { NewNotice } from './notices.ts';
import type { EndpointKey } from './sendable-endpoints.ts';

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
  rampPerSecond: number | null;
  warnedAt: Date | null;
  /** When its URL first answered with 2xx; null for a new endpoint. */
  firstSuccessAt: Date | null;
}

/** What a turn of deliveries has shown of an endpoint. */
export interface EndpointHealthUpdate extends EndpointKey {
  /** What the turn began with: of an endpoint that is another by now, or has got a clean slate, nothing was shown. */
  seen: { url: string; failuresInARow: number };
  health: EndpointHealth;
  /** For how long nothing is to be sent to it from now on; a later end that is set already stays. */
  backoffSeconds: number | null;
}

/** What follows from it for the endpoint, beside its health. */
export interface EndpointTransition {
  /** Why it is disabled now; null when it is not. What is due to it is then held. */
  disabledReason: string | null;
  notices: NewNotice[];
}

/** Stores what was found, of any number of endpoints. */
export async function updateEndpointHealth(
  database: Database,
  findings: EndpointHealthUpdate[],
): Promise<void> {
  await updateHealth(database, findings);
}

/**
 * Stores what was found together with what follows, at once. An endpoint that fails, recovers and fails again is told of
 * once a day. Returns the notices that were made, and the endpoints that have something to be sent because of them.
 */
export function recordEndpointTransition(
  database: Database,
  finding: EndpointHealthUpdate,
  { disabledReason, notices }: EndpointTransition,
): Promise<{ told: NewNotice[]; endpointIds: string[] }> {
  const { merchantId, endpointId } = finding;
  const store = async (tx: Queryable) => {
    const told: NewNotice[] = [];
    const endpointIds: string[] = [];
    if ((await updateHealth(tx, [finding])) === 0) return { told, endpointIds };
    if (disabledReason !== null) await disable(tx, merchantId, endpointId, disabledReason);
    for (const notice of notices) {
      if (await wasToldToday(tx, merchantId, notice)) continue;
      endpointIds.push(...(await insertNotice(tx, merchantId, notice)));
      told.push(notice);
    }
    return { told, endpointIds };
  };
  // Attempts that are being recorded lock the endpoint's deliveries in another order.
  return retryConflicts(() => transact(database, store));
}

/** A success that closes the breaker, or the first one of all, ends what the endpoint waited for until then. */
const endsWait = `(p.breaker_opened_at IS NOT NULL AND f."breakerOpenedAt" IS NULL
  OR p.first_success_at IS NULL AND f."firstSuccessAt" IS NOT NULL)`;

/** Returns of how many endpoints something was stored. */
async function updateHealth(sql: Queryable, findings: EndpointHealthUpdate[]): Promise<number> {
  const updated = await sql.query(
    `UPDATE endpoints p SET in_flight_limit = f."inFlightLimit", failures_in_a_row = f."failuresInARow",
       failing_since = f."failingSince", last_failed_at = f."lastFailedAt", burst_failures = f."burstFailures",
       burst_since = f."burstSince", breaker_opened_at = f."breakerOpenedAt", probes_failed = f."probesFailed",
       ramp_per_second = f."rampPerSecond", warned_at = f."warnedAt",
       first_success_at = coalesce(p.first_success_at, f."firstSuccessAt"),
       send_after = CASE WHEN ${endsWait} THEN now() + make_interval(secs => coalesce(f."backoffSeconds", 0))
         WHEN f."backoffSeconds" IS NULL THEN p.send_after
         ELSE greatest(p.send_after, now() + make_interval(secs => f."backoffSeconds")) END
     FROM jsonb_to_recordset($1::jsonb) AS f ("merchantId" text, "endpointId" text, "seenUrl" text,
       "seenFailures" int, "backoffSeconds" double precision,
       "inFlightLimit" int, "failuresInARow" int, "failingSince" timestamptz, "lastFailedAt" timestamptz,
       "burstFailures" int, "burstSince" timestamptz, "breakerOpenedAt" timestamptz, "probesFailed" int,
       "rampPerSecond" int, "warnedAt" timestamptz, "firstSuccessAt" timestamptz)
     WHERE p.merchant_id = f."merchantId" AND p.id = f."endpointId" AND p.deleted_at IS NULL
       AND p.url = f."seenUrl" AND p.failures_in_a_row = f."seenFailures"
     RETURNING p.id`,
    [JSON.stringify(findings.map(columnsOf))],
  );
  return updated.length;
}

function columnsOf({ health, seen, ...rest }: EndpointHealthUpdate): object {
  return { ...health, ...rest, seenUrl: seen.url, seenFailures: seen.failuresInARow };
}

async function disable(tx: Queryable, merchantId: string, endpointId: string, reason: string): Promise<void> {
  await tx.query(
    `UPDATE endpoints SET disabled_at = now(), disabled_reason = $3
     WHERE merchant_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [merchantId, endpointId, reason],
  );
  await tx.query(
    `UPDATE deliveries SET state = 'held', next_attempt_at = NULL, retry_at = NULL
     WHERE merchant_id = $1 AND endpoint_id = $2 AND state = 'pending'`,
    [merchantId, endpointId],
  );
}

async function wasToldToday(
  tx: Queryable,
  merchantId: string,
  { type, endpointId }: NewNotice,
): Promise<boolean> {
  const rows = await tx.query(
    `SELECT 1 FROM notices WHERE merchant_id = $1 AND endpoint_id = $2 AND type = $3
       AND created_at > now() - interval '1 day' AND $3 = 'endpoint.failing' LIMIT 1`,
    [merchantId, endpointId, type],
  );
  return rows.length > 0;
}
