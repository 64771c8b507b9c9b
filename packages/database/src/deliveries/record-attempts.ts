import { transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import {
  boolean,
  doublePrecision,
  integer,
  json,
  jsonb,
  rowColumns,
  text,
  timestamptz,
  uuid,
} from '../client/row-columns.ts';
import { run, runInTransaction, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';
import type { DeliveryState } from '../states.ts';

/** An attempt, its outcome, and the next state of its delivery. */
export interface AttemptRecord {
  deliveryId: string;
  merchantId: string;
  /** Of the delivery as it was claimed. */
  leaseExpiresAt: string;
  startedAt: string;
  url: string;
  status: number | null;
  errorClass: string | null;
  errorMessage: string | null;
  timings: object;
  responseBody: string | null;
  /** What was wrong with the response; null when nothing was. */
  warning: string | null;
  /** Whether a reused connection broke and the request was sent once more, on a new one. */
  retriedOnNewConnection: boolean;
  /** Whether the receiver said that it does not handle the type of the event. */
  ignored: boolean;
  /** As sent; null when nothing was sent. */
  requestHeaders: Record<string, string> | null;
  /** Of the response to a failed attempt; null for others. */
  responseHeaders: Record<string, string> | null;
  /** Whether it counts in the retry schedule; false when this process aborted the request. */
  advancesSchedule: boolean;
  /** The next state of the delivery. */
  state: Extract<DeliveryState, 'pending' | 'delivered' | 'exhausted'>;
  /** Until the next attempt, in seconds; null when there is none. */
  retryInSeconds: number | null;
}

/**
 * Records attempts, of any endpoints, in one statement, or several if a delivery has several attempts. A delivery that is
 * final stays so. The response to a delivery that was cancelled meanwhile is not stored: the member whom it names may have been
 * erased.
 */
export async function recordAttempts(database: Sql, attempts: AttemptRecord[]): Promise<void> {
  for (const once of withoutRepeats(attempts)) {
    const columns = attemptColumns.arraysOf(once);
    await retryConflicts(() => runInTransaction(database, recordSql, columns, { keepPlans: true }));
  }
}

/**
 * Records attempts again after a failed statement, which may have been committed although its response was lost.
 * Attempts that are stored already are skipped. Locking their deliveries first waits for the statement if it is still
 * running.
 */
export async function recordMissingAttempts(database: Sql, attempts: AttemptRecord[]): Promise<void> {
  await retryConflicts(() =>
    transact(database, async (tx) => {
      const all = JSON.stringify(attempts);
      await run(tx, lockDeliveriesSql, [all]);
      const rows = await run(tx, findMissingSql, [all]);
      const missing = rows.map(({ number }) => attempts[number - 1] as AttemptRecord);
      for (const once of withoutRepeats(missing)) await run(tx, recordSql, attemptColumns.arraysOf(once));
    }),
  );
}

/** Divides attempts into lists in which each delivery occurs once: an update changes a row only once. */
function withoutRepeats(attempts: AttemptRecord[]): AttemptRecord[][] {
  const lists: AttemptRecord[][] = [];
  const seen = new Map<string, number>();
  for (const attempt of attempts) {
    const index = seen.get(attempt.deliveryId) ?? 0;
    seen.set(attempt.deliveryId, index + 1);
    (lists[index] ??= []).push(attempt);
  }
  return lists;
}

const lockDeliveriesSql = statement<NoRow, [attempts: string]>({
  name: 'lock the deliveries of attempts',
  parameters: ['jsonb'],
  columns: {},
  text: `
    SELECT FROM deliveries d
    JOIN jsonb_to_recordset($1::jsonb) AS attempt ("deliveryId" uuid, "merchantId" text)
      ON d.merchant_id = attempt."merchantId" AND d.id = attempt."deliveryId"
    ORDER BY d.id
    FOR NO KEY UPDATE OF d`,
});

/** Lists the numbers of the attempts that are not stored. The start identifies an attempt. */
const findMissingSql = statement<{ number: number }, [attempts: string]>({
  name: 'find attempts that are not stored',
  parameters: ['jsonb'],
  columns: { number: 'integer' },
  text: `
    SELECT attempt.number::int AS number
    FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS ("deliveryId" uuid, "merchantId" text, "startedAt" timestamptz))
      WITH ORDINALITY AS attempt (delivery_id, merchant_id, started_at, number)
    WHERE NOT EXISTS (
      SELECT 1 FROM attempts a
      WHERE a.merchant_id = attempt.merchant_id AND a.delivery_id = attempt.delivery_id
        AND a.started_at = attempt.started_at
    )
    ORDER BY attempt.number`,
});

const attemptColumns = rowColumns<AttemptRecord>({
  deliveryId: uuid,
  merchantId: text,
  leaseExpiresAt: timestamptz,
  startedAt: timestamptz,
  url: text,
  status: integer,
  errorClass: text,
  errorMessage: text,
  timings: jsonb,
  responseBody: text,
  warning: text,
  retriedOnNewConnection: boolean,
  ignored: boolean,
  requestHeaders: json,
  advancesSchedule: boolean,
  state: text,
  retryInSeconds: doublePrecision,
  responseHeaders: json,
});

/**
 * Records attempts, which are the arrays of {@link attemptColumns}. Its plan is kept: because `IS NOT DISTINCT FROM` uses no
 * index, it always finds a delivery by its id.
 *
 * An attempt can decide the next state of its delivery. A success always does, unless the delivery is final: it is
 * not sent again, even if it was held, restarted or claimed by another worker meanwhile. A failure does only as long as
 * the lease is the one of the attempt: not after a manual retry or a pause, nor when another worker has the delivery.
 */
const recordSql = statement<NoRow, string[]>({
  name: 'record attempts',
  parameters: attemptColumns.types,
  columns: {},
  text: `
    WITH attempt AS (
      SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::int[], $7::text[],
          $8::text[], $9::jsonb[], $10::text[], $11::text[], $12::boolean[], $13::boolean[], $14::json[], $15::boolean[],
          $16::text[], $17::double precision[], $18::json[])
        AS a (delivery_id, merchant_id, lease_expires_at, started_at, url, status, error_class, error_message, timings,
          response_body, warning, retried_on_new_connection, ignored, request_headers, advances_schedule, state, retry_in_seconds,
          response_headers)
    ), updated AS (
      UPDATE deliveries d
      SET attempts_made = d.attempts_made + 1, last_attempt_at = attempt.started_at, last_status = attempt.status,
        last_error_class = attempt.error_class,
        schedule_step = CASE
          WHEN attempt.state = 'delivered' AND d.state IN ('pending', 'held')
            OR attempt.state <> 'delivered' AND d.state = 'pending' AND d.leased_until = attempt.lease_expires_at
          THEN d.schedule_step + attempt.advances_schedule::int ELSE d.schedule_step END,
        state = CASE
          WHEN attempt.state = 'delivered' AND d.state IN ('pending', 'held')
            OR attempt.state <> 'delivered' AND d.state = 'pending' AND d.leased_until = attempt.lease_expires_at
          THEN attempt.state ELSE d.state END,
        next_attempt_at = CASE
          WHEN attempt.state = 'delivered' AND d.state IN ('pending', 'held')
            OR attempt.state <> 'delivered' AND d.state = 'pending' AND d.leased_until = attempt.lease_expires_at
          THEN now() + make_interval(secs => attempt.retry_in_seconds) ELSE d.next_attempt_at END,
        leased_until = CASE
          WHEN attempt.state = 'delivered' AND d.state IN ('pending', 'held')
            OR attempt.state <> 'delivered' AND d.state = 'pending' AND d.leased_until = attempt.lease_expires_at
          THEN NULL ELSE d.leased_until END,
        finished_at = CASE
          WHEN attempt.state = 'delivered' AND d.state IN ('pending', 'held')
            OR attempt.state = 'exhausted' AND d.state = 'pending' AND d.leased_until = attempt.lease_expires_at
          THEN now() ELSE d.finished_at END,
        -- A manual retry that this process aborted is still requested.
        retry_at = CASE
          WHEN attempt.error_class = 'aborted' THEN d.retry_at
          WHEN attempt.state = 'delivered' AND d.state IN ('pending', 'held')
            OR attempt.state <> 'delivered' AND d.state = 'pending' AND d.leased_until = attempt.lease_expires_at
          THEN NULL ELSE d.retry_at END
      FROM attempt
      WHERE d.id = attempt.delivery_id AND d.merchant_id IS NOT DISTINCT FROM attempt.merchant_id
      RETURNING d.endpoint_id, d.attempts_made, d.test, d.state AS new_state, attempt.*
    )
    INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, error_class,
      error_message, timings, response_body, request_headers, warning, retried_on_new_connection, ignored, response_headers, test)
    SELECT delivery_id, attempts_made, merchant_id, endpoint_id, started_at, url, status, error_class, error_message,
      timings, CASE WHEN new_state <> 'cancelled' THEN response_body END, request_headers, warning,
      retried_on_new_connection, ignored, CASE WHEN new_state <> 'cancelled' THEN response_headers END, test
    FROM updated`,
});
