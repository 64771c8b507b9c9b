import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { run, runInTransaction, statement } from '../client/statement.ts';
import type { NoRow, Statement } from '../client/statement.ts';
import type { EndpointKey } from '../endpoints/sendable-endpoints.ts';

/** A delivery claimed for an attempt. */
export interface ClaimedDelivery {
  merchantId: string;
  id: string;
  /** All attempts so far. */
  attemptsMade: number;
  /** Attempts since it was (re)started: the step of the retry schedule. */
  scheduleStep: number;
  eventType: string;
  body: string;
  /** When it was created, in seconds since 1970. */
  createdAt: number;
  /** Of the request that caused the event; null when it is not known. */
  requestId: string | null;
  traceparent: string | null;
  /** When it became due, as PostgreSQL writes it. */
  dueAt: string;
  /** The expiry of the lease, likewise. It is the fencing token: a row with another time belongs to another worker. */
  leaseExpiresAt: string;
}

/** How many deliveries of an endpoint to claim. */
export interface Claim extends EndpointKey {
  /** The URL they will be sent to. When the endpoint has another URL by now, none is claimed. */
  url: string;
  limit: number;
}

/** The result of one claim. */
export interface ClaimResult {
  deliveries: ClaimedDelivery[];
  /** Deliveries within the limit that were cancelled because their event has expired. More may be due after them. */
  expired: number;
}

/**
 * Claims deliveries that are due, of each endpoint the longest waiting first. The claim is a lease: no other worker
 * claims the delivery before it expires. It changes a column that is in no index, so that the update writes none. Nothing
 * is claimed for an endpoint that is paused, disabled, parked or deleted. A delivery whose event has expired is cancelled
 * instead. Returns one result for each claim, in order.
 */
export function claimDeliveries(
  database: Sql,
  claims: Claim[],
  leaseSeconds: number,
): Promise<ClaimResult[]> {
  return claim(database, claimDueSql, claims, leaseSeconds);
}

/** Claims manual retries that are due: they are sent even while their endpoint is backing off. */
export function claimManualRetries(
  database: Sql,
  claims: Claim[],
  leaseSeconds: number,
): Promise<ClaimResult[]> {
  return claim(database, claimManualRetriesSql, claims, leaseSeconds);
}

/** A claimed delivery, or one that was cancelled, with the number of its claim. */
type ClaimedRow = ClaimedDelivery & { number: number; expired: boolean };

type ClaimValues = [
  merchantIds: string[],
  endpointIds: string[],
  limits: number[],
  leaseSeconds: number,
  urls: string[],
];
type ClaimStatement = Statement<ClaimedRow, ClaimValues>;

const claimParameters: ClaimStatement['parameters'] = [
  'text[]',
  'text[]',
  'integer[]',
  'double precision',
  'text[]',
];

const claimColumns = {
  number: 'integer',
  merchantId: 'text',
  id: 'text',
  attemptsMade: 'integer',
  scheduleStep: 'integer',
  eventType: 'text',
  body: 'text',
  requestId: 'text',
  traceparent: 'text',
  createdAt: 'double precision',
  dueAt: 'text',
  leaseExpiresAt: 'text',
  expired: 'boolean',
} as const;

/** It and {@link claimManualRetriesSql} find the deliveries of an endpoint by an index each. */
const claimDueSql = statement<ClaimedRow, ClaimValues>({
  name: 'claim due deliveries',
  parameters: claimParameters,
  columns: claimColumns,
  text: `
    WITH due AS (
      SELECT claim.number::int AS number, d.*
      FROM unnest($1::text[], $2::text[], $3::int[], $5::text[]) WITH ORDINALITY
        AS claim (merchant_id, endpoint_id, most, url, number)
      CROSS JOIN LATERAL (
        SELECT id FROM endpoints p
        WHERE merchant_id = claim.merchant_id AND id = claim.endpoint_id
          AND url IS NOT DISTINCT FROM claim.url
          AND p.sendable
        OFFSET 0
      ) p
      CROSS JOIN LATERAL (
        SELECT ctid AS row, merchant_id, event_id, event_created_at, next_attempt_at FROM deliveries d
        WHERE endpoint_id = p.id AND merchant_id = claim.merchant_id
          AND d.state = 'pending' AND d.next_attempt_at <= now() AND (d.leased_until IS NULL OR d.leased_until <= now())
        ORDER BY d.next_attempt_at
        LIMIT claim.most
        FOR UPDATE SKIP LOCKED
      ) d
    )
    UPDATE deliveries d
    SET leased_until = CASE WHEN e.expires_at <= now() THEN NULL ELSE now() + make_interval(secs => $4) END,
      next_attempt_at = CASE WHEN e.expires_at <= now() THEN NULL ELSE d.next_attempt_at END,
      state = CASE WHEN e.expires_at <= now() THEN 'cancelled' ELSE d.state END,
      finished_at = CASE WHEN e.expires_at <= now() THEN now() END
    FROM due
    CROSS JOIN LATERAL (
      SELECT type, body, expires_at, request_id, traceparent FROM events
      WHERE merchant_id = due.merchant_id AND id >= due.event_id AND id <= due.event_id
        AND events.created_at = due.event_created_at
      ORDER BY id
      OFFSET 0
    ) e
    WHERE d.ctid = due.row
    RETURNING due.number, d.merchant_id AS "merchantId", d.id::text, d.attempts_made AS "attemptsMade",
      d.schedule_step AS "scheduleStep", e.type AS "eventType", e.body,
      e.request_id AS "requestId", e.traceparent,
      extract(epoch FROM d.created_at)::float8 AS "createdAt", due.next_attempt_at::text AS "dueAt",
      d.leased_until::text AS "leaseExpiresAt", d.state = 'cancelled' AS expired`,
});

const claimManualRetriesSql = statement<ClaimedRow, ClaimValues>({
  name: 'claim manual retries',
  parameters: claimParameters,
  columns: claimColumns,
  text: `
    WITH due AS (
      SELECT claim.number::int AS number, d.*
      FROM unnest($1::text[], $2::text[], $3::int[], $5::text[]) WITH ORDINALITY
        AS claim (merchant_id, endpoint_id, most, url, number)
      CROSS JOIN LATERAL (
        SELECT id FROM endpoints p
        WHERE merchant_id = claim.merchant_id AND id = claim.endpoint_id
          AND url IS NOT DISTINCT FROM claim.url
          AND p.sendable
        OFFSET 0
      ) p
      CROSS JOIN LATERAL (
        SELECT ctid AS row, merchant_id, event_id, event_created_at, next_attempt_at FROM deliveries d
        WHERE endpoint_id = p.id AND merchant_id = claim.merchant_id
          AND d.state = 'pending' AND d.retry_at <= now() AND d.next_attempt_at <= now()
          AND (d.leased_until IS NULL OR d.leased_until <= now())
        ORDER BY d.retry_at
        LIMIT claim.most
        FOR UPDATE SKIP LOCKED
      ) d
    )
    UPDATE deliveries d
    SET leased_until = CASE WHEN e.expires_at <= now() THEN NULL ELSE now() + make_interval(secs => $4) END,
      next_attempt_at = CASE WHEN e.expires_at <= now() THEN NULL ELSE d.next_attempt_at END,
      state = CASE WHEN e.expires_at <= now() THEN 'cancelled' ELSE d.state END,
      finished_at = CASE WHEN e.expires_at <= now() THEN now() END
    FROM due
    CROSS JOIN LATERAL (
      SELECT type, body, expires_at, request_id, traceparent FROM events
      WHERE merchant_id = due.merchant_id AND id >= due.event_id AND id <= due.event_id
        AND events.created_at = due.event_created_at
      ORDER BY id
      OFFSET 0
    ) e
    WHERE d.ctid = due.row
    RETURNING due.number, d.merchant_id AS "merchantId", d.id::text, d.attempts_made AS "attemptsMade",
      d.schedule_step AS "scheduleStep", e.type AS "eventType", e.body,
      e.request_id AS "requestId", e.traceparent,
      extract(epoch FROM d.created_at)::float8 AS "createdAt", due.next_attempt_at::text AS "dueAt",
      d.leased_until::text AS "leaseExpiresAt", d.state = 'cancelled' AS expired`,
});

async function claim(
  database: Sql,
  claiming: ClaimStatement,
  claims: Claim[],
  leaseSeconds: number,
): Promise<ClaimResult[]> {
  // If a crash of PostgreSQL undoes the claim, the deliveries are due again, and may be sent twice (decision 010).
  const rows = await runInTransaction(
    database,
    claiming,
    [
      claims.map(({ merchantId }) => merchantId),
      claims.map(({ endpointId }) => endpointId),
      claims.map(({ limit }) => limit),
      leaseSeconds,
      claims.map(({ url }) => url),
    ],
    { keepPlans: true, durable: false },
  );
  // RETURNING keeps no order.
  rows.sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1));
  const results = claims.map((): ClaimResult => ({ deliveries: [], expired: 0 }));
  // Copying the rows with fewer columns is not faster.
  for (const row of rows) {
    const result = results[row.number - 1] as ClaimResult;
    if (row.expired) result.expired += 1;
    else result.deliveries.push(row);
  }
  return results;
}

const releaseSql = statement<NoRow, [released: string]>({
  name: 'release claimed deliveries',
  parameters: ['jsonb'],
  columns: {},
  text: `
    UPDATE deliveries d SET leased_until = NULL
    FROM jsonb_to_recordset($1::jsonb) AS released (
      "merchantId" text, "id" uuid, "leaseExpiresAt" timestamptz
    )
    WHERE d.merchant_id = released."merchantId" AND d.id = released."id" AND d.state = 'pending'
      AND d.leased_until = released."leaseExpiresAt"`,
});

/** Releases deliveries that were claimed and not sent: they are due again. */
export async function releaseDeliveries(
  database: Sql,
  deliveries: Pick<ClaimedDelivery, 'merchantId' | 'id' | 'leaseExpiresAt'>[],
): Promise<void> {
  const released = deliveries.map(({ merchantId, id, leaseExpiresAt }) => ({
    merchantId,
    id,
    leaseExpiresAt,
  }));
  // Locks the deliveries in another order than a pause does: retried after a deadlock.
  await retryConflicts(() => run(database, releaseSql, [JSON.stringify(released)]));
}
