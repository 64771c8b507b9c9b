import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { isLive, isRetryDue } from './next-attempt.ts';
import type { EndpointKey } from '../endpoints/sendable-endpoints.ts';

/** A delivery taken for an attempt. */
export interface ClaimedDelivery {
  merchantId: string;
  id: string;
  /** All attempts so far. */
  attemptsMade: number;
  /** Attempts since it was (re)started: its place in the retry schedule. */
  scheduleStep: number;
  eventType: string;
  body: string;
  /** When it fell due, as PostgreSQL writes it. */
  dueAt: string;
  /** The end of the lease, likewise. Who finds another time in the row does not have it any more. */
  leaseExpiresAt: string;
}

/** How many deliveries of an endpoint are wanted. */
export interface Claim extends EndpointKey {
  /** Where they will go: of an endpoint that has another URL by now, none is taken. */
  url: string;
  limit: number;
}

/** What was taken for a claim. */
export interface ClaimResult {
  deliveries: ClaimedDelivery[];
  /** Those that were cancelled instead, within the limit: there may be more to take behind them. */
  expired: number;
}

/**
 * Takes deliveries that are due, of each endpoint the longest waiting first. Taking moves their time ahead by the
 * lease: no other worker takes them meanwhile, and if this one dies they come due again by themselves. What was made due
 * to an endpoint that is paused, disabled or deleted by now stays.
 * Those whose event has expired are cancelled instead. Returns what was taken for each claim, in order.
 */
export function claimDeliveries(
  database: Database,
  claims: Claim[],
  leaseSeconds: number,
): Promise<ClaimResult[]> {
  return claim(database, claimDue, claims, leaseSeconds);
}

/** The same of retries that somebody asked for, when their endpoint is to be left alone too. */
export function claimManualRetries(
  database: Database,
  claims: Claim[],
  leaseSeconds: number,
): Promise<ClaimResult[]> {
  return claim(database, claimRetriesDue, claims, leaseSeconds);
}

function claimSql(wanted: string, order: string): string {
  return `WITH due AS (
       SELECT w.place::int AS place, d.id, d.next_attempt_at
       FROM unnest($1::text[], $2::text[], $3::int[], $5::text[]) WITH ORDINALITY
         AS w (merchant_id, endpoint_id, most, url, place)
       CROSS JOIN LATERAL (
         SELECT id FROM endpoints p
         WHERE id = w.endpoint_id AND merchant_id = w.merchant_id AND url = w.url AND ${isLive} OFFSET 0) p
       CROSS JOIN LATERAL (
         SELECT id, next_attempt_at FROM deliveries d
         WHERE endpoint_id = p.id AND merchant_id = w.merchant_id AND ${wanted}
         ORDER BY ${order} LIMIT w.most FOR UPDATE SKIP LOCKED) d
     )
     UPDATE deliveries d SET
       next_attempt_at = CASE WHEN e.expires_at <= now() THEN NULL ELSE now() + make_interval(secs => $4) END,
       state = CASE WHEN e.expires_at <= now() THEN 'cancelled' ELSE d.state END,
       finished_at = CASE WHEN e.expires_at <= now() THEN now() END
     FROM due CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id = due.id OFFSET 0) own
     JOIN events e ON e.merchant_id = own.merchant_id AND e.id = own.event_id
     WHERE d.id = due.id
     RETURNING due.place, d.merchant_id AS "merchantId", d.id::text, d.attempts_made AS "attemptsMade", d.schedule_step AS "scheduleStep",
       e.type AS "eventType", e.body, due.next_attempt_at::text AS "dueAt", d.next_attempt_at::text AS "leaseExpiresAt",
       d.state = 'cancelled' AS expired`;
}

const claimDue = claimSql("d.state = 'pending' AND d.next_attempt_at <= now()", 'd.next_attempt_at');
const claimRetriesDue = claimSql(isRetryDue, 'd.retry_at');

async function claim(
  database: Database,
  sql: string,
  claims: Claim[],
  leaseSeconds: number,
): Promise<ClaimResult[]> {
  const rows = await database.query<ClaimedDelivery & { place: number; expired: boolean }>(sql, [
    claims.map(({ merchantId }) => merchantId),
    claims.map(({ endpointId }) => endpointId),
    claims.map(({ limit }) => limit),
    leaseSeconds,
    claims.map(({ url }) => url),
  ]);
  // RETURNING keeps no order.
  rows.sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1));
  const taken = claims.map((): ClaimResult => ({ deliveries: [], expired: 0 }));
  for (const { place, expired, ...row } of rows) {
    const claimed = taken[place - 1] as ClaimResult;
    if (expired) claimed.expired += 1;
    else claimed.deliveries.push(row);
  }
  return taken;
}

/** Gives back deliveries that were taken and not sent: they are due since when they were before. */
export async function releaseDeliveries(
  database: Database,
  deliveries: Pick<ClaimedDelivery, 'merchantId' | 'id' | 'dueAt' | 'leaseExpiresAt'>[],
): Promise<void> {
  // Locks deliveries in an order of its own, as a pause does in another: runs again after a deadlock.
  await retryConflicts(() =>
    database.query(
      `UPDATE deliveries d SET next_attempt_at = r."dueAt"
     FROM jsonb_to_recordset($1::jsonb) AS r ("merchantId" text, "id" uuid, "dueAt" timestamptz,
       "leaseExpiresAt" timestamptz)
     WHERE d.merchant_id = r."merchantId" AND d.id = r."id" AND d.state = 'pending'
       AND d.next_attempt_at = r."leaseExpiresAt"`,
      [
        JSON.stringify(
          deliveries.map(({ merchantId, id, dueAt, leaseExpiresAt }) => ({
            merchantId,
            id,
            dueAt,
            leaseExpiresAt,
          })),
        ),
      ],
    ),
  );
}
