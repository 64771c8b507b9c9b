import { hot } from './client.ts';
import type { Database } from './client.ts';

/** A delivery taken for an attempt. */
export interface ClaimedDelivery {
  id: string;
  /** All attempts so far. */
  attemptsMade: number;
  /** Attempts since it was (re)started: its place in the retry schedule. */
  scheduleStep: number;
  eventType: string;
  body: string;
  /** When it fell due, as PostgreSQL writes it. */
  dueAt: string;
}

/** What came of an attempt, and what follows for its delivery. */
export interface AttemptRow {
  deliveryId: string;
  merchantId: string;
  startedAt: string;
  url: string;
  status: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  timings: object;
  responseBody: string | null;
  /** As sent. */
  requestHeaders: Record<string, string>;
  /** Whether it counts in the retry schedule; false for one that our own end cut short. */
  usesRetry: boolean;
  state: 'pending' | 'delivered' | 'exhausted';
  /** Until the next attempt, in seconds; null when there is none. */
  retryInSeconds: number | null;
}

/**
 * Takes deliveries of an endpoint that are due, longest waiting first. Taking moves their time ahead by the
 * lease: no other worker takes them meanwhile, and if this one dies they come due again by themselves.
 * Those whose event has expired are cancelled instead.
 */
export async function claimDeliveries(
  database: Database,
  merchantId: string,
  endpointId: string,
  { limit, leaseSeconds }: { limit: number; leaseSeconds: number },
): Promise<ClaimedDelivery[]> {
  const rows = await hot(database).query<ClaimedDelivery & { expired: boolean }>(
    `WITH due AS (
       SELECT id, next_attempt_at FROM deliveries
       WHERE endpoint_id = $1 AND merchant_id = $2 AND state = 'pending' AND next_attempt_at <= now()
       ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
     )
     UPDATE deliveries d SET
       next_attempt_at = CASE WHEN e.expires_at <= now() THEN NULL ELSE now() + make_interval(secs => $4) END,
       state = CASE WHEN e.expires_at <= now() THEN 'cancelled' ELSE d.state END,
       finished_at = CASE WHEN e.expires_at <= now() THEN now() END
     FROM due, events e
     WHERE d.id = due.id AND e.merchant_id = d.merchant_id AND e.id = d.event_id
     RETURNING d.id::text, d.attempts_made AS "attemptsMade", d.schedule_step AS "scheduleStep",
       e.type AS "eventType", e.body, due.next_attempt_at::text AS "dueAt", d.state = 'cancelled' AS expired`,
    [endpointId, merchantId, limit, leaseSeconds],
  );
  // RETURNING keeps no order.
  return rows.filter(({ expired }) => !expired).sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1));
}

/** Gives back deliveries that were taken and not sent: they are due since when they were before. */
export async function releaseDeliveries(
  database: Database,
  merchantId: string,
  deliveries: Pick<ClaimedDelivery, 'id' | 'dueAt'>[],
): Promise<void> {
  await hot(database).query(
    `UPDATE deliveries d SET next_attempt_at = r."dueAt"
     FROM jsonb_to_recordset($2::jsonb) AS r ("id" uuid, "dueAt" timestamptz)
     WHERE d.merchant_id = $1 AND d.id = r."id" AND d.state = 'pending'`,
    [merchantId, JSON.stringify(deliveries.map(({ id, dueAt }) => ({ id, dueAt })))],
  );
}

/** The endpoint was paused or disabled while the request was in flight, and it arrived: it is not sent again. */
const arrivedWhileHeld = `(d.state = 'held' AND made."state" = 'delivered')`;

/**
 * Records attempts, of whatever endpoints, in one statement. A delivery that is final stays so; an attempt
 * that was made twice (a lease that ran out) is recorded twice.
 */
export async function recordAttempts(database: Database, attempts: AttemptRow[]): Promise<void> {
  await hot(database).query(
    `WITH made AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS a ("deliveryId" uuid, "merchantId" text, "startedAt" timestamptz,
         "url" text, "status" int, "errorClass" text, "errorMessage" text, "timings" jsonb, "responseBody" text,
         "requestHeaders" json, "usesRetry" boolean, "state" text, "retryInSeconds" double precision)
     ), moved AS (
       UPDATE deliveries d SET
         attempts_made = d.attempts_made + 1,
         schedule_step = d.schedule_step + made."usesRetry"::int,
         state = CASE WHEN d.state = 'pending' OR ${arrivedWhileHeld} THEN made."state" ELSE d.state END,
         next_attempt_at = CASE WHEN d.state = 'pending' THEN now() + make_interval(secs => made."retryInSeconds") END,
         finished_at = CASE WHEN d.state = 'pending' AND made."state" <> 'pending' OR ${arrivedWhileHeld} THEN now()
           ELSE d.finished_at END
       FROM made WHERE d.id = made."deliveryId" AND d.merchant_id = made."merchantId"
       RETURNING d.id, d.endpoint_id, d.attempts_made
     )
     INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, error_class, error_message, timings,
       response_body, request_headers)
     SELECT moved.id, moved.attempts_made, made."merchantId", moved.endpoint_id, made."startedAt", made."url", made."status",
       made."errorClass", made."errorMessage", made."timings", made."responseBody", made."requestHeaders"
     FROM made JOIN moved ON moved.id = made."deliveryId"`,
    [JSON.stringify(attempts)],
  );
}

export interface DeliveryFilter {
  state?: string;
  endpointId?: string;
  limit: number;
}

/** A merchant's deliveries, newest first. */
export function listDeliveries(database: Database, merchantId: string, filter: DeliveryFilter) {
  const { state, endpointId, limit } = filter;
  return database.delivery.findMany({
    where: { merchantId, ...(state ? { state } : {}), ...(endpointId ? { endpointId } : {}) },
    omit: { merchantId: true },
    orderBy: { createdAt: 'desc' },
    take: limit,
  });
}

/** A delivery with its event and every attempt. */
export async function findDelivery(database: Database, merchantId: string, id: string) {
  const delivery = await database.delivery.findFirst({ where: { merchantId, id } });
  if (!delivery) return undefined;
  const [event, attempts] = await Promise.all([
    database.event.findUnique({ where: { merchantId_id: { merchantId, id: delivery.eventId } } }),
    database.attempt.findMany({ where: { merchantId, deliveryId: id }, orderBy: { number: 'asc' } }),
  ]);
  return { ...delivery, event, attempts };
}

/**
 * Makes a delivery due now, under its old id and from the start of the schedule; also one that was delivered
 * or given up. False when there is none, when its endpoint is deleted or disabled, or when an erasure has changed its
 * event: an id never stands for other bytes. The event is locked, so that an erasure comes before or after.
 */
export async function retryDelivery(database: Database, merchantId: string, id: string): Promise<boolean> {
  const count = await database.$executeRaw`
    WITH told AS (
      SELECT e.id FROM deliveries d JOIN events e ON e.merchant_id = d.merchant_id AND e.id = d.event_id
      WHERE d.merchant_id = ${merchantId} AND d.id = ${id}::uuid AND e.erased_at IS NULL FOR SHARE OF e
    )
    UPDATE deliveries d SET state = 'pending', schedule_step = 0, next_attempt_at = now(), finished_at = NULL
    FROM endpoints p, told
    WHERE d.merchant_id = ${merchantId} AND d.id = ${id}::uuid AND p.id = d.endpoint_id AND told.id = d.event_id
      AND p.deleted_at IS NULL AND p.disabled_at IS NULL`;
  return count === 1;
}
