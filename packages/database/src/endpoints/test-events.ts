import { randomUUID } from 'node:crypto';
import { buildTestEvent, eventMode } from '@rewardhook/contract';
import type { EventType } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import type { AttemptRecord } from '../deliveries/record-attempts.ts';
import { LimitReached } from '../merchants/account-limits.ts';
import { signingKeyContext } from '../merchants/sealer.ts';
import { findPause } from '../merchants/pause-merchant.ts';
import type { Sealer } from '../merchants/sealer.ts';
import { listSigningKeys } from '../merchants/signing-keys.ts';
import { initialRampPerSecond } from './endpoint-health.ts';

/** The attempt of a test event, in the columns that record it. */
type TestAttempt = { startedAt: Date; delivered: boolean } & Pick<
  AttemptRecord,
  | 'status'
  | 'errorClass'
  | 'errorMessage'
  | 'timings'
  | 'responseBody'
  | 'warning'
  | 'retriedOnNewConnection'
  | 'ignored'
  | 'requestHeaders'
  | 'responseHeaders'
>;

/** What to send where, and the minimum number of seconds between two test events of the merchant. */
export interface TestEventRequest {
  merchantId: string;
  endpointId: string;
  type: EventType;
  secondsBetween: number;
}

/** Thrown when a test event would be sent while the operator has paused the deliveries of the merchant. Nothing was stored. */
export class DeliveryPaused extends Error {
  /** Who the merchant can ask. */
  readonly contact: string;

  constructor(contact: string) {
    super(`The operator has paused the deliveries of this merchant: ${contact}`);
    this.contact = contact;
  }
}

/** A key that has not expired. `promoted`: its `promoted_at` has passed. */
export interface OpenedSigningKey {
  secret: string;
  promoted: boolean;
}

/**
 * The store of one test event to one endpoint, for `sendTestEvent` of packages/webhook. `prepare` inserts an event
 * with a delivery, whatever state its merchant has put the endpoint in and whatever types it is registered for; `record` inserts the
 * attempt. Until then the delivery is `exhausted`: no worker claims it, even if this process is killed, and neither
 * pausing nor enabling the endpoint sends it again.
 *
 * The event belongs to no reward. A sample of another type than `webhook.ping` is marked in its row, so that it gets into
 * no feed and no replay.
 */
export function openTestEventStore(
  database: Database,
  sealer: Sealer,
  { merchantId, endpointId, type, secondsBetween }: TestEventRequest,
) {
  return {
    /** Returns undefined when the merchant has no such endpoint. @throws LimitReached, DeliveryPaused */
    async prepare() {
      const endpoint = await database.endpoint.findFirst({
        where: { merchantId, id: endpointId, deletedAt: null },
      });
      if (!endpoint) return undefined;
      await requireUnpausedDelivery(database, merchantId);
      await limitRate(database, merchantId, secondsBetween);
      const signingKeys = await listOpenedKeys(database, sealer, merchantId);
      const event = { ...buildTestEvent(type, new Date()), ...eventMode(merchantId) };
      const body = JSON.stringify(event);
      const deliveryId = randomUUID();
      await transact(database, async (tx) => {
        await tx.query(
          `WITH event AS (
             INSERT INTO events (merchant_id, id, type, body, sample) VALUES ($1, $2, $3, $4, $7)
             RETURNING merchant_id, id, created_at
           )
           INSERT INTO deliveries (id, merchant_id, event_id, event_created_at, endpoint_id, state, schedule_step,
             next_attempt_at, finished_at, test)
           SELECT $5::uuid, merchant_id, id, created_at, $6, 'exhausted', 1, NULL, now(), true FROM event`,
          [merchantId, event.id, type, body, deliveryId, endpointId, type !== 'webhook.ping'],
        );
        await audit(tx);
      });
      return { deliveryId, eventId: event.id, eventType: type, url: endpoint.url, body, signingKeys };
    },

    async record(
      { deliveryId, url }: { deliveryId: string; url: string },
      attempt: TestAttempt,
    ): Promise<void> {
      const { delivered } = attempt;
      await transact(database, async (tx) => {
        const [updated] = await tx.query<{ number: number }>(recordTestSql, [
          merchantId,
          deliveryId,
          delivered,
          attempt.startedAt,
          attempt.status,
          attempt.errorClass,
        ]);
        if (!updated) throw new Error('the delivery of a test event does not exist');
        if (delivered) await recordSuccess(tx, merchantId, endpointId, url);
        await tx.query(
          `INSERT INTO attempts (delivery_id, number, merchant_id, endpoint_id, started_at, url, status, error_class,
             error_message, timings, response_body, request_headers, warning, retried_on_new_connection, ignored,
             response_headers, test)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::jsonb, $11, $12::json, $13, $14, $15, $16::json, true)`,
          [
            deliveryId,
            updated.number,
            merchantId,
            endpointId,
            attempt.startedAt,
            url,
            attempt.status,
            attempt.errorClass,
            attempt.errorMessage,
            JSON.stringify(attempt.timings),
            attempt.responseBody,
            attempt.requestHeaders && JSON.stringify(attempt.requestHeaders),
            attempt.warning,
            attempt.retriedOnNewConnection,
            attempt.ignored,
            attempt.responseHeaders && JSON.stringify(attempt.responseHeaders),
          ],
        );
      });
    },
  };
}

/** @throws DeliveryPaused */
export async function requireUnpausedDelivery(database: Queryable, merchantId: string): Promise<void> {
  const pause = await findPause(database, merchantId);
  if (pause?.deliveryPausedAt) throw new DeliveryPaused(pause.pauseContact ?? '');
}

/**
 * Counts the attempt of a test event. If it was retried meanwhile, this is neither its first nor its last attempt, and
 * only a success changes its state. $1 merchant id, $2 delivery id, $3 whether it was delivered, $4 start, $5 status, $6 error class
 */
const recordTestSql = `
  UPDATE deliveries
  SET attempts_made = attempts_made + 1, last_attempt_at = $4, last_status = $5, last_error_class = $6,
    state = CASE WHEN $3::boolean THEN 'delivered' ELSE state END,
    next_attempt_at = CASE WHEN NOT $3 THEN next_attempt_at END,
    leased_until = CASE WHEN NOT $3 THEN leased_until END,
    finished_at = CASE WHEN $3 OR state = 'exhausted' THEN now() ELSE finished_at END
  WHERE merchant_id = $1 AND id = $2::uuid
  RETURNING attempts_made AS number`;

/**
 * A single statement decides, so that of two concurrent test events one is refused. A clock that was set back refuses
 * none.
 */
async function limitRate(database: Queryable, merchantId: string, seconds: number): Promise<void> {
  if (seconds === 0) return;
  const allowed = await database.execute(
    `UPDATE merchants SET last_ping_at = clock_timestamp()
     WHERE id = $1 AND (last_ping_at IS NULL OR last_ping_at > clock_timestamp()
       OR last_ping_at <= clock_timestamp() - make_interval(secs => $2))`,
    [merchantId, seconds],
  );
  if (allowed === 0)
    throw new LimitReached(
      { code: 'test_events', parameters: { seconds } },
      { retryAfterSeconds: Math.ceil(seconds) },
    );
}

/**
 * Records the success of a test event, which counts as any other: it resets the counts of failures and turns an open breaker
 * half-open. Changes nothing if the endpoint has another URL by now.
 */
async function recordSuccess(
  tx: Queryable,
  merchantId: string,
  endpointId: string,
  url: string,
): Promise<void> {
  await tx.query(
    `UPDATE endpoints
     SET failures_in_a_row = 0, failing_since = NULL, last_failed_at = NULL, burst_failures = 0, burst_since = NULL,
       probes_failed = 0, warned_at = NULL, breaker_opened_at = NULL,
       ramp_per_second = CASE WHEN breaker_opened_at IS NULL THEN ramp_per_second ELSE $4 END,
       send_after = CASE WHEN breaker_opened_at IS NULL AND first_success_at IS NOT NULL THEN send_after ELSE now() END,
       first_success_at = coalesce(first_success_at, now())
     WHERE merchant_id = $1 AND id = $2 AND url = $3 AND deleted_at IS NULL
       AND (failures_in_a_row > 0 OR breaker_opened_at IS NOT NULL OR first_success_at IS NULL)`,
    [merchantId, endpointId, url, initialRampPerSecond],
  );
}

/** The merchant's signing keys that have not expired, newest first, with their secrets opened. */
export async function listOpenedKeys(
  database: Database,
  sealer: Sealer,
  merchantId: string,
): Promise<OpenedSigningKey[]> {
  const keys = await listSigningKeys(database, merchantId);
  return keys.map(({ id, secret, promoted }) => ({
    secret: sealer.open(secret, signingKeyContext(merchantId, id)),
    promoted,
  }));
}
