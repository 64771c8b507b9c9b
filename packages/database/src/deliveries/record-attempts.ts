import { queryInTransaction, transact } from '../client/client.ts';
import type { Sql } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { booleanArray, jsonTextArray, numberArray, textArray } from '../client/sql-arrays.ts';
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
    const columns = columnsOf(once);
    await retryConflicts(() => queryInTransaction(database, recordSql, columns, { keepPlans: true }));
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
      await tx.query(lockDeliveriesSql, [all]);
      const rows = await tx.query<{ number: number }>(findMissingSql, [all]);
      const missing = rows.map(({ number }) => attempts[number - 1] as AttemptRecord);
      for (const once of withoutRepeats(missing)) await tx.query(recordSql, columnsOf(once));
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

/** $1: attempts, as JSON. */
const lockDeliveriesSql = `
  SELECT 1 FROM deliveries d
  JOIN jsonb_to_recordset($1::jsonb) AS attempt ("deliveryId" uuid, "merchantId" text)
    ON d.id = attempt."deliveryId" AND d.merchant_id = attempt."merchantId"
  ORDER BY d.id
  FOR NO KEY UPDATE OF d`;

/** The numbers of the attempts that are not stored. The start identifies an attempt. $1: attempts, as JSON. */
const findMissingSql = `
  SELECT attempt.number::int AS number
  FROM ROWS FROM (jsonb_to_recordset($1::jsonb) AS ("deliveryId" uuid, "startedAt" timestamptz))
    WITH ORDINALITY AS attempt (delivery_id, started_at, number)
  WHERE NOT EXISTS (
    SELECT 1 FROM attempts a
    WHERE a.delivery_id = attempt.delivery_id AND a.started_at = attempt.started_at
  )
  ORDER BY attempt.number`;

/**
 * Whether an attempt decides the next state of its delivery. A success always does, unless the delivery is final: it is
 * not sent again, even if it was held, restarted or claimed by another worker meanwhile. A failure does only as long as
 * the lease is the one of the attempt: not after a manual retry or a pause, nor when another worker has the delivery.
 */
const decides = `CASE attempt."state"
  WHEN 'delivered' THEN d.state IN ('pending', 'held')
  ELSE d.state = 'pending' AND d.leased_until = attempt."leaseExpiresAt" END`;

/** A column of the attempts that are recorded: its type, and its values as an array literal. */
interface AttemptColumn {
  name: string;
  type: string;
  arrayOf(attempts: AttemptRecord[]): string;
}

const text = (
  name: keyof AttemptRecord,
  type: string,
  valueOf: (attempt: AttemptRecord) => string | null,
): AttemptColumn => ({ name, type, arrayOf: (attempts) => textArray(attempts.map(valueOf)) });

const number = (
  name: keyof AttemptRecord,
  type: string,
  valueOf: (attempt: AttemptRecord) => number | null,
): AttemptColumn => ({ name, type, arrayOf: (attempts) => numberArray(attempts.map(valueOf)) });

const boolean = (name: keyof AttemptRecord, valueOf: (attempt: AttemptRecord) => boolean): AttemptColumn => ({
  name,
  type: 'boolean',
  arrayOf: (attempts) => booleanArray(attempts.map(valueOf)),
});

const json = (
  name: keyof AttemptRecord,
  type: string,
  valueOf: (attempt: AttemptRecord) => object | null,
): AttemptColumn => ({
  name,
  type,
  arrayOf: (attempts) =>
    jsonTextArray(
      attempts.map((attempt) => {
        const value = valueOf(attempt);
        return value && JSON.stringify(value);
      }),
    ),
});

/**
 * The columns of the attempts that are recorded. They are sent as arrays: as one JSON document, parsing them took PostgreSQL
 * a third of the statement (docs/measurements.md).
 */
const attemptColumns: AttemptColumn[] = [
  text('deliveryId', 'uuid', ({ deliveryId }) => deliveryId),
  text('merchantId', 'text', ({ merchantId }) => merchantId),
  text('leaseExpiresAt', 'timestamptz', ({ leaseExpiresAt }) => leaseExpiresAt),
  text('startedAt', 'timestamptz', ({ startedAt }) => startedAt),
  text('url', 'text', ({ url }) => url),
  number('status', 'int', ({ status }) => status),
  text('errorClass', 'text', ({ errorClass }) => errorClass),
  text('errorMessage', 'text', ({ errorMessage }) => errorMessage),
  json('timings', 'jsonb', ({ timings }) => timings),
  text('responseBody', 'text', ({ responseBody }) => responseBody),
  text('warning', 'text', ({ warning }) => warning),
  boolean('retriedOnNewConnection', ({ retriedOnNewConnection }) => retriedOnNewConnection),
  boolean('ignored', ({ ignored }) => ignored),
  json('requestHeaders', 'json', ({ requestHeaders }) => requestHeaders),
  boolean('advancesSchedule', ({ advancesSchedule }) => advancesSchedule),
  text('state', 'text', ({ state }) => state),
  number('retryInSeconds', 'double precision', ({ retryInSeconds }) => retryInSeconds),
];

/** The parameters of `recordSql`: one array for each column. */
function columnsOf(attempts: AttemptRecord[]): string[] {
  return attemptColumns.map(({ arrayOf }) => arrayOf(attempts));
}

/**
 * The parameters are the columns of the attempts, see {@link columnsOf}. Its plan is kept: because `IS NOT DISTINCT FROM` uses no
 * index, it always finds a delivery by its id.
 */
const recordSql = `
  WITH attempt AS (
    SELECT * FROM unnest(${attemptColumns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')})
      AS a (${attemptColumns.map(({ name }) => `"${name}"`).join(', ')})
  ), updated AS (
    UPDATE deliveries d
    SET attempts_made = d.attempts_made + 1,
      schedule_step = d.schedule_step + CASE WHEN ${decides} THEN attempt."advancesSchedule"::int ELSE 0 END,
      state = CASE WHEN ${decides} THEN attempt."state" ELSE d.state END,
      next_attempt_at = CASE WHEN ${decides} THEN now() + make_interval(secs => attempt."retryInSeconds")
        ELSE d.next_attempt_at END,
      leased_until = CASE WHEN ${decides} THEN NULL ELSE d.leased_until END,
      finished_at = CASE WHEN attempt."state" <> 'pending' AND ${decides} THEN now() ELSE d.finished_at END,
      -- A manual retry that this process aborted is still requested.
      retry_at = CASE WHEN attempt."errorClass" IS DISTINCT FROM 'aborted' AND ${decides} THEN NULL
        ELSE d.retry_at END
    FROM attempt
    WHERE d.id = attempt."deliveryId" AND d.merchant_id IS NOT DISTINCT FROM attempt."merchantId"
    RETURNING d.id, d.endpoint_id, d.attempts_made, d.state AS new_state, attempt.*
  )
  INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, error_class,
    error_message, timings, response_body, request_headers, warning, retried_on_new_connection, ignored)
  SELECT id, attempts_made, "merchantId", endpoint_id, "startedAt", "url", "status", "errorClass", "errorMessage",
    "timings", CASE WHEN new_state <> 'cancelled' THEN "responseBody" END, "requestHeaders", "warning",
    "retriedOnNewConnection", "ignored"
  FROM updated`;
