import type { Queryable } from '../client/client.ts';
import { runCounted, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';

/** How an endpoint has responded so far; all workers share it. */
export interface EndpointHealth {
  /** Most requests in flight. */
  inFlightLimit: number;
  failuresInARow: number;
  failingSince: Date | null;
  lastFailedAt: Date | null;
  burstFailures: number;
  burstSince: Date | null;
  breakerOpenedAt: Date | null;
  probesFailed: number;
  /** Deliveries that may be sent within the next second while the breaker is half-open; null otherwise. */
  rampPerSecond: number | null;
  warnedAt: Date | null;
  /** When its URL first answered with 2xx; null for a new endpoint. */
  firstSuccessAt: Date | null;
}

/** `rampPerSecond` of a breaker that has just become half-open. */
export const initialRampPerSecond = 10;

/** What counts and dates failures, without any. */
export const noFailures = {
  failuresInARow: 0,
  failingSince: null,
  lastFailedAt: null,
  burstFailures: 0,
  burstSince: null,
  breakerOpenedAt: null,
  probesFailed: 0,
  warnedAt: null,
};

/** The health of a new endpoint: the defaults of the schema. */
export const initialHealth = { ...noFailures, sendAfter: null, inFlightLimit: 4, rampPerSecond: null };

/** The health of an endpoint after a dispatch. */
export interface EndpointHealthUpdate {
  merchantId: string;
  endpointId: string;
  /** The endpoint as the dispatch read it. If it has another URL by now, or was reset, nothing is stored. */
  seen: { url: string; failuresInARow: number };
  health: EndpointHealth;
  /** For how long nothing is sent to it from now on; a later end that is set already stays. */
  backoffSeconds: number | null;
}

const updateHealthSql = statement<NoRow, [updates: string]>({
  name: 'update the health of endpoints',
  parameters: ['jsonb'],
  columns: {},
  text: `
    UPDATE endpoints p
    SET in_flight_limit = u."inFlightLimit",
      failures_in_a_row = u."failuresInARow",
      failing_since = u."failingSince",
      last_failed_at = u."lastFailedAt",
      burst_failures = u."burstFailures",
      burst_since = u."burstSince",
      breaker_opened_at = u."breakerOpenedAt",
      probes_failed = u."probesFailed",
      ramp_per_second = u."rampPerSecond",
      warned_at = u."warnedAt",
      first_success_at = coalesce(p.first_success_at, u."firstSuccessAt"),
      send_after = CASE
        -- The success of a probe, and the first success of a URL, end the backoff.
        WHEN p.breaker_opened_at IS NOT NULL AND u."breakerOpenedAt" IS NULL
          OR p.first_success_at IS NULL AND u."firstSuccessAt" IS NOT NULL THEN now() + make_interval(secs => coalesce(u."backoffSeconds", 0))
        WHEN u."backoffSeconds" IS NULL THEN p.send_after
        ELSE greatest(p.send_after, now() + make_interval(secs => u."backoffSeconds")) END
    FROM jsonb_to_recordset($1::jsonb) AS u (
      "merchantId" text, "endpointId" text, "seenUrl" text, "seenFailures" int, "backoffSeconds" double precision,
      "inFlightLimit" int, "failuresInARow" int, "failingSince" timestamptz, "lastFailedAt" timestamptz,
      "burstFailures" int, "burstSince" timestamptz, "breakerOpenedAt" timestamptz, "probesFailed" int,
      "rampPerSecond" int, "warnedAt" timestamptz, "firstSuccessAt" timestamptz
    )
    WHERE p.merchant_id = u."merchantId" AND p.id = u."endpointId" AND p.deleted_at IS NULL
      AND p.url = u."seenUrl" AND p.failures_in_a_row = u."seenFailures"`,
});

/** Stores the health of any number of endpoints. Returns how many were updated. */
export function updateEndpointHealth(database: Queryable, updates: EndpointHealthUpdate[]): Promise<number> {
  const rows = updates.map(({ health, seen, ...rest }) => ({
    ...health,
    ...rest,
    seenUrl: seen.url,
    seenFailures: seen.failuresInARow,
  }));
  return runCounted(database, updateHealthSql, [JSON.stringify(rows)]);
}
