import { randomUUID } from 'node:crypto';
import { newId } from '@rewardhook/contract';
import type { WebhookPingEvent } from '@rewardhook/contract';
import type { Database, PrismaTransaction } from '../client/client.ts';
import type { AttemptRecord } from '../deliveries/record-attempts.ts';
import { initialRampPerSecond } from './endpoints.ts';
import { LimitReached } from '../merchants/account-limits.ts';
import { signingKeyContext } from '../merchants/sealer.ts';
import type { Sealer } from '../merchants/sealer.ts';

/** The attempt of a ping, in the columns that record it. */
type PingAttempt = { startedAt: Date; delivered: boolean } & Pick<
  AttemptRecord,
  'status' | 'errorClass' | 'errorMessage' | 'timings' | 'responseBody' | 'requestHeaders'
>;

/** The endpoint, and the minimum number of seconds between two pings of its merchant. */
export interface PingRequest {
  merchantId: string;
  endpointId: string;
  secondsBetween: number;
}

/**
 * The store of one `webhook.ping` to one endpoint, for `sendPing` of packages/webhook. `prepare` inserts an event with a
 * delivery, whatever state the endpoint is in; `record` inserts the attempt. Until then the delivery is `exhausted`: no
 * worker claims it, even if this process dies, and neither pausing nor enabling the endpoint sends it again.
 */
export function openPingStore(
  database: Database,
  sealer: Sealer,
  { merchantId, endpointId, secondsBetween }: PingRequest,
) {
  return {
    /** Returns undefined when the merchant has no such endpoint. @throws LimitReached */
    async prepare() {
      const endpoint = await database.endpoint.findFirst({
        where: { merchantId, id: endpointId, deletedAt: null },
      });
      if (!endpoint) return undefined;
      await limitRate(database, merchantId, secondsBetween);
      const signing = await findSigningSecrets(database, sealer, merchantId);
      const event = makePing();
      const body = JSON.stringify(event);
      const deliveryId = randomUUID();
      await database.$transaction([
        database.event.create({ data: { merchantId, id: event.id, type: event.type, body } }),
        database.delivery.create({
          data: {
            id: deliveryId,
            merchantId,
            eventId: event.id,
            endpointId,
            state: 'exhausted',
            scheduleStep: 1,
            nextAttemptAt: null,
            finishedAt: new Date(),
          },
        }),
      ]);
      return { deliveryId, eventId: event.id, eventType: event.type, url: endpoint.url, body, signing };
    },

    async record(
      { deliveryId, url }: { deliveryId: string; url: string },
      { delivered, requestHeaders, ...columns }: PingAttempt,
    ): Promise<void> {
      await database.$transaction(async (tx) => {
        // Somebody may have sent it again meanwhile: then this is not its first attempt, and not its last word.
        const [made] = await tx.$queryRaw<{ number: number }[]>`
          UPDATE deliveries SET attempts_made = attempts_made + 1,
            state = CASE WHEN ${delivered} THEN 'delivered' ELSE state END,
            next_attempt_at = CASE WHEN NOT ${delivered} THEN next_attempt_at END,
            finished_at = CASE WHEN ${delivered} OR state = 'exhausted' THEN now() ELSE finished_at END
          WHERE merchant_id = ${merchantId} AND id = ${deliveryId}::uuid RETURNING attempts_made AS number`;
        if (!made) throw new Error('the delivery of a ping is gone');
        if (delivered) await noteSuccess(tx, merchantId, endpointId, url);
        const { number } = made;
        await tx.attempt.create({
          data: {
            ...columns,
            merchantId,
            endpointId,
            deliveryId,
            number,
            url,
            requestHeaders: requestHeaders ?? undefined,
          },
        });
      });
    },
  };
}

/** One statement decides, so that of two at once the second is refused. A clock that was set back locks nobody out. */
async function limitRate(database: Database, merchantId: string, seconds: number): Promise<void> {
  if (seconds === 0) return;
  const allowed = await database.$executeRaw`
    UPDATE merchants SET last_ping_at = clock_timestamp()
    WHERE id = ${merchantId} AND (last_ping_at IS NULL OR last_ping_at > clock_timestamp()
      OR last_ping_at <= clock_timestamp() - make_interval(secs => ${seconds}::double precision))`;
  if (allowed === 0)
    throw new LimitReached(
      { code: 'test_events', parameters: { seconds } },
      { retryAfterSeconds: Math.ceil(seconds) },
    );
}

/**
 * A test that succeeds ends every count of failures and closes the breaker, as any other success does; what waits is
 * drained. Says nothing of another URL that the endpoint has by now.
 */
async function noteSuccess(
  tx: PrismaTransaction,
  merchantId: string,
  endpointId: string,
  url: string,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE endpoints SET failures_in_a_row = 0, failing_since = NULL, last_failed_at = NULL, burst_failures = 0,
      burst_since = NULL, probes_failed = 0, warned_at = NULL, breaker_opened_at = NULL,
      ramp_per_second = CASE WHEN breaker_opened_at IS NULL THEN ramp_per_second ELSE ${initialRampPerSecond} END,
      send_after = CASE WHEN breaker_opened_at IS NULL AND first_success_at IS NOT NULL THEN send_after ELSE now() END,
      first_success_at = coalesce(first_success_at, now())
    WHERE merchant_id = ${merchantId} AND id = ${endpointId} AND url = ${url} AND deleted_at IS NULL
      AND (failures_in_a_row > 0 OR breaker_opened_at IS NOT NULL OR first_success_at IS NULL)`;
}

function makePing(): WebhookPingEvent {
  return { id: newId('evt'), type: 'webhook.ping', created_at: new Date().toISOString(), data: {} };
}

/** As for every delivery: the newest promoted key makes the contract's header, all live keys the standard one. */
async function findSigningSecrets(database: Database, sealer: Sealer, merchantId: string) {
  const now = new Date();
  const keys = await database.signingKey.findMany({
    where: { merchantId, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] },
    orderBy: { createdAt: 'desc' },
  });
  const open = (key: { id: string; secret: string }) =>
    sealer.open(key.secret, signingKeyContext(merchantId, key.id));
  const primary = keys.find(({ promotedAt }) => promotedAt <= now);
  return primary && { primary: open(primary), all: keys.map(open) };
}
