import type { Sql } from '../client/client.ts';
import { run, runInTransaction, statement } from '../client/statement.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/** The key of an endpoint. */
export interface EndpointKey {
  merchantId: string;
  endpointId: string;
}

/** An endpoint that can be sent to now, with the merchant's signing keys (sealed). */
export interface SendableEndpoint {
  merchantId: string;
  id: string;
  url: string;
  /** Hours over which a delivery is retried; null follows the schedule. */
  retryHours: number | null;
  /** Keys that have not expired, newest first. `promoted`: its `promoted_at` has passed. */
  signingKeys: { id: string; secret: string; promoted: boolean }[];
  /** Whether manual retries are due: they are sent first. */
  manualRetriesDue: boolean;
  /** Whether only manual retries may be sent: it is backing off, or its rate limit is used up. */
  manualRetriesOnly: boolean;
  health: EndpointHealth;
}

type SendableRow = Omit<SendableEndpoint, 'health'> & EndpointHealth & { number: number };

/** The plan is kept: with `OFFSET 0` the retries of an endpoint are found, instead of those of all endpoints. */
const findSendableSql = statement<SendableRow, [merchantIds: string[], endpointIds: string[]]>({
  name: 'find sendable endpoints',
  parameters: ['text[]', 'text[]'],
  columns: {
    number: 'integer',
    merchantId: 'text',
    id: 'text',
    url: 'text',
    retryHours: 'integer',
    inFlightLimit: 'integer',
    failuresInARow: 'integer',
    failingSince: 'timestamp with time zone',
    lastFailedAt: 'timestamp with time zone',
    burstFailures: 'integer',
    burstSince: 'timestamp with time zone',
    breakerOpenedAt: 'timestamp with time zone',
    probesFailed: 'integer',
    rampPerSecond: 'integer',
    warnedAt: 'timestamp with time zone',
    firstSuccessAt: 'timestamp with time zone',
    manualRetriesDue: 'boolean',
    manualRetriesOnly: 'boolean',
    signingKeys: 'jsonb',
  },
  text: `
    SELECT key.number::int AS number, p.merchant_id AS "merchantId", p.id, p.url, p.retry_hours AS "retryHours",
      p.in_flight_limit AS "inFlightLimit", p.failures_in_a_row AS "failuresInARow",
      p.failing_since AS "failingSince", p.last_failed_at AS "lastFailedAt", p.burst_failures AS "burstFailures",
      p.burst_since AS "burstSince", p.breaker_opened_at AS "breakerOpenedAt", p.probes_failed AS "probesFailed",
      p.ramp_per_second AS "rampPerSecond", p.warned_at AS "warnedAt", p.first_success_at AS "firstSuccessAt",
      retries.due AS "manualRetriesDue",
      p.send_after IS NOT NULL AND p.send_after > now() AS "manualRetriesOnly",
      coalesce((
        SELECT jsonb_agg(
          jsonb_build_object('id', k.id, 'secret', k.secret, 'promoted', k.promoted_at <= now())
          ORDER BY k.created_at DESC
        )
        FROM signing_keys k
        WHERE k.merchant_id = p.merchant_id AND (k.expires_at IS NULL OR k.expires_at > now())
      ), '[]') AS "signingKeys"
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS key (merchant_id, endpoint_id, number)
    CROSS JOIN LATERAL (
      SELECT * FROM endpoints
      WHERE merchant_id = key.merchant_id AND id = key.endpoint_id
      OFFSET 0
    ) p
    CROSS JOIN LATERAL (
      SELECT EXISTS (
        SELECT 1 FROM deliveries d
        WHERE d.endpoint_id = p.id AND d.merchant_id = p.merchant_id
          AND d.state = 'pending' AND d.retry_at <= now() AND d.next_attempt_at <= now()
          AND (d.leased_until IS NULL OR d.leased_until <= now())
        OFFSET 0) AS due
      OFFSET 0
    ) retries
    WHERE p.sendable
      AND (p.send_after IS NULL OR p.send_after <= now() OR retries.due)`,
});

/** Finds endpoints, in the order of the keys; undefined for one that nothing may be sent to now. */
export async function findSendableEndpoints(
  database: Sql,
  keys: EndpointKey[],
): Promise<(SendableEndpoint | undefined)[]> {
  const rows = await runInTransaction(
    database,
    findSendableSql,
    [keys.map(({ merchantId }) => merchantId), keys.map(({ endpointId }) => endpointId)],
    { keepPlans: true },
  );
  const found = keys.map((): SendableEndpoint | undefined => undefined);
  for (const { number, merchantId, id, url, retryHours, signingKeys, ...row } of rows) {
    const { manualRetriesDue: due, manualRetriesOnly, ...health } = row;
    const endpoint = { merchantId, id, url, retryHours, signingKeys, manualRetriesOnly, health };
    found[number - 1] = { ...endpoint, manualRetriesDue: due };
  }
  return found;
}

const listDueSql = statement<EndpointKey>({
  name: 'list endpoints with due deliveries',
  parameters: [],
  columns: { merchantId: 'text', endpointId: 'text' },
  text: `
    SELECT p.merchant_id AS "merchantId", p.id AS "endpointId" FROM endpoints p
    WHERE p.sendable AND (
      EXISTS (
        SELECT 1 FROM deliveries d
        WHERE d.endpoint_id = p.id AND d.merchant_id = p.merchant_id
          AND d.state = 'pending' AND d.retry_at <= now() AND d.next_attempt_at <= now()
          AND (d.leased_until IS NULL OR d.leased_until <= now())
      )
      OR (p.send_after IS NULL OR p.send_after <= now()) AND EXISTS (
        SELECT 1 FROM deliveries d
        WHERE d.endpoint_id = p.id AND d.merchant_id = p.merchant_id
          AND d.state = 'pending' AND d.next_attempt_at <= now()
          AND (d.leased_until IS NULL OR d.leased_until <= now())
          AND (d.schedule_step > 0 OR p.send_after IS NOT NULL OR d.next_attempt_at <= now() - interval '2 s')
      )
    )`,
});

/**
 * Lists the endpoints that can be sent to and have deliveries due without a job: retries, scheduled or manual, and
 * deliveries that have been due for two seconds, whose job must have been lost.
 */
export function listDueEndpoints(database: Sql): Promise<EndpointKey[]> {
  return run(database, listDueSql, []);
}
