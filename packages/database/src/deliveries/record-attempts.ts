import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';

/** What came of an attempt, and what follows for its delivery. */
export interface AttemptRecord {
  deliveryId: string;
  merchantId: string;
  /** Of the delivery as it was taken. */
  leaseExpiresAt: string;
  startedAt: string;
  url: string;
  status: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  timings: object;
  responseBody: string | null;
  /** As sent; null when nothing was sent. */
  requestHeaders: Record<string, string> | null;
  /** Whether it counts in the retry schedule; false for one that our own end cut short. */
  advancesSchedule: boolean;
  state: 'pending' | 'delivered' | 'exhausted';
  /** Until the next attempt, in seconds; null when there is none. */
  retryInSeconds: number | null;
}

/** It arrived: it is not sent again, even if it was held, made due again or taken by another worker since. */
const arrived = `(made."state" = 'delivered' AND d.state IN ('pending', 'held'))`;
/** What a failure says counts for who still has the delivery: not after a retry or a pause, or when the lease ran out. */
const failed = `(made."state" <> 'delivered' AND d.state = 'pending' AND d.next_attempt_at = made."leaseExpiresAt")`;

/**
 * Records attempts, of whatever endpoints, in one statement. A delivery that is final stays so; an attempt that was made
 * twice is recorded twice. Of a cancelled one the answer is not kept: the member that it names may have been erased.
 */
export async function recordAttempts(database: Database, attempts: AttemptRecord[]): Promise<void> {
  await retryConflicts(() => database.query(recordSql, [JSON.stringify(attempts)]));
}

/**
 * Records attempts once more after an error: the statement before may have been committed and only its answer lost. What
 * is recorded already is left out. Their deliveries are locked first, so that a statement that still runs is waited for.
 */
export async function recordMissingAttempts(database: Database, attempts: AttemptRecord[]): Promise<void> {
  await retryConflicts(() =>
    transact(database, async (tx) => {
      const keys = JSON.stringify(attempts);
      await tx.query(lockSql, [keys]);
      const missing = await tx.query<{ place: number }>(missingSql, [keys]);
      const left = missing.map(({ place }) => attempts[place - 1] as AttemptRecord);
      if (left.length > 0) await tx.query(recordSql, [JSON.stringify(left)]);
    }),
  );
}

const lockSql = `SELECT 1 FROM deliveries d JOIN jsonb_to_recordset($1::jsonb) AS a ("deliveryId" uuid, "merchantId" text)
  ON d.id = a."deliveryId" AND d.merchant_id = a."merchantId" ORDER BY d.id FOR NO KEY UPDATE OF d`;

/** No delivery is sent twice in one moment: the start of an attempt identifies it. */
const missingSql = `SELECT made.place::int AS place
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS ("deliveryId" uuid, "startedAt" timestamptz))
    WITH ORDINALITY AS made (delivery_id, started_at, place)
  WHERE NOT EXISTS (SELECT 1 FROM attempts a
    WHERE a.delivery_id = made.delivery_id AND a.started_at = made.started_at)
  ORDER BY made.place`;

const recordSql = `WITH made AS (
       SELECT * FROM jsonb_to_recordset($1::jsonb) AS a ("deliveryId" uuid, "merchantId" text, "leaseExpiresAt" timestamptz,
         "startedAt" timestamptz, "url" text, "status" int, "errorClass" text, "errorMessage" text, "timings" jsonb, "responseBody" text,
         "requestHeaders" json, "advancesSchedule" boolean, "state" text, "retryInSeconds" double precision)
     ), moved AS (
       UPDATE deliveries d SET
         attempts_made = d.attempts_made + 1,
         schedule_step = d.schedule_step + CASE WHEN ${arrived} OR ${failed} THEN made."advancesSchedule"::int ELSE 0 END,
         state = CASE WHEN ${arrived} OR ${failed} THEN made."state" ELSE d.state END,
         next_attempt_at = CASE WHEN ${arrived} THEN NULL
           WHEN ${failed} THEN now() + make_interval(secs => made."retryInSeconds") ELSE d.next_attempt_at END,
         finished_at = CASE WHEN ${arrived} OR ${failed} AND made."state" <> 'pending' THEN now()
           ELSE d.finished_at END,
         retry_at = CASE WHEN ${arrived} OR ${failed} AND made."errorClass" IS DISTINCT FROM 'aborted'
           THEN NULL ELSE d.retry_at END
       FROM made WHERE d.id = made."deliveryId" AND d.merchant_id = made."merchantId"
       RETURNING d.id, d.endpoint_id, d.attempts_made, d.state
     )
     INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, error_class, error_message, timings,
       response_body, request_headers)
     SELECT moved.id, moved.attempts_made, made."merchantId", moved.endpoint_id, made."startedAt", made."url", made."status",
       made."errorClass", made."errorMessage", made."timings",
       CASE WHEN moved.state <> 'cancelled' THEN made."responseBody" END, made."requestHeaders"
     FROM made JOIN moved ON moved.id = made."deliveryId"`;
