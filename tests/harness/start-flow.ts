import { randomBytes } from 'node:crypto';
import { openSealer } from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { createTestDatabase } from '@rewardhook/testing/servers';
import { startReceiver, waitFor } from '@rewardhook/testing';
import type { DatabaseDefaults } from '@rewardhook/testing/servers';
import type { Receiver, ReceiverOptions } from '@rewardhook/testing';
import { bootPath, callWithRetries, linkPath, syncPath } from './call-api.ts';
import type { Answer, CallOptions } from './call-api.ts';
import { openMerchant, userHashOf } from './open-merchant.ts';
import type { Merchant } from './open-merchant.ts';
import { openQueueCounts } from './queue-counts.ts';
import type { QueueCounts } from './queue-counts.ts';
import { openCleanup } from './cleanup.ts';
import type { RunAdmin } from './run-admin.ts';
import { startApi } from './start-api.ts';
import type { ApiOptions, TestEnvironment } from './start-api.ts';

/** The API and the workers in the process of the test, with a database and a queue prefix of their own. */
export interface Flow {
  url: string;
  environment: TestEnvironment;
  database: Database;
  sealer: Sealer;
  queues: QueueCounts;
  admin: RunAdmin;
  /** Calls the API as a client does: a request that is refused with 503 is sent again. See `callWithRetries`. */
  call(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  openMerchant(timezone?: string): Promise<Merchant>;
  /** Sends orders with a merchant's secret key. @throws when they are not accepted */
  sync(merchant: Merchant, ...orders: unknown[]): Promise<void>;
  /** Sends orders and waits until all work that follows is done. */
  syncAndSettle(merchant: Merchant, ...orders: unknown[]): Promise<void>;
  link(merchant: Merchant, referrer: string, referee: string): Promise<Answer>;
  /** Calls boot with a valid `user_hash` unless the body has one; `user_hash: undefined` sends none. */
  boot(merchant: Merchant, body: BootBody, options?: Omit<CallOptions, 'key'>): Promise<Answer>;
  /** Starts a receiver and registers it for the event types. It is closed with the flow. */
  receiver(merchant: Merchant, events: string, options?: ReceiverOptions, path?: string): Promise<Receiver>;
  close(): Promise<void>;
}

/** The body of a boot call, with any further fields. */
export interface BootBody extends Record<string, unknown> {
  user_id: string;
}

export interface FlowOptions extends Partial<
  Pick<
    ApiOptions,
    | 'maxWaitingKib'
    | 'redisUrl'
    | 'shards'
    | 'waitReplicas'
    | 'limits'
    | 'rates'
    | 'trustedProxies'
    | 'withoutRedis'
  >
> {
  /** False starts the API only: accepted orders stay on the queue. */
  workers?: boolean;
  /** Seconds between two requests to a webhook that has never responded with 2xx; default no limit. */
  newWebhookSeconds?: number;
  /** Settings that the sessions of its database begin with. */
  databaseDefaults?: DatabaseDefaults | undefined;
}

/** Starts the API and, unless `workers` is false, the three stages behind it. */
export async function startFlow({
  workers = true,
  newWebhookSeconds,
  databaseDefaults,
  redisUrl,
  shards = 1,
  ...limits
}: FlowOptions = {}): Promise<Flow> {
  const cleanup = openCleanup();
  const testDatabase = await createTestDatabase(databaseDefaults);
  cleanup.add(() => testDatabase.drop());
  const environment: TestEnvironment = {
    databaseUrl: testDatabase.url,
    redisUrl: redisUrl ?? String(process.env['TEST_REDIS_URL']),
    prefix: `{test-${randomBytes(6).toString('hex')}}`,
    shards,
    secretsKey: randomBytes(32).toString('base64'),
  };
  const api = await startApi({ ...environment, ...limits });
  cleanup.add(() => api.close());
  // A test of the API loads neither the workers nor the command line.
  if (workers) {
    const { startWorkers } = await import('./start-workers.ts');
    const running = await startWorkers(environment, { newWebhookSeconds });
    cleanup.add(() => running.close());
  }
  const queues = openQueueCounts(environment.redisUrl, environment.prefix, shards);
  cleanup.add(() => queues.close());
  const sealer = openSealer(environment.secretsKey);
  const admin: RunAdmin = async (name, options) => {
    const { openAdmin } = await import('./run-admin.ts');
    return openAdmin(environment, api.database, sealer)(name, options);
  };
  const call = (path: string, body: unknown, options?: CallOptions) =>
    callWithRetries(api.url, path, body, options);
  const sync = async (merchant: Merchant, ...orders: unknown[]) => {
    const answer = await call(syncPath, { orders }, { key: merchant.secretKey });
    if (answer.status !== 202) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
  };
  /** A job that Redis has not taken in time is added by a sweeper: until then its work is due in the database only. */
  const isIdle = async ({ id: merchantId }: Merchant) => {
    await queues.settled();
    const isDue = { state: 'pending', attemptsMade: 0, nextAttemptAt: { lte: new Date() } };
    const batches = await api.database.dueBatch.count({ where: { merchantId, parkedAt: null } });
    const deliveries = await api.database.delivery.count({
      where: { merchantId, ...isDue, endpoint: { sendable: true, sendAfter: null } },
    });
    return batches + deliveries === 0;
  };
  return {
    url: api.url,
    environment,
    database: api.database,
    sealer,
    queues,
    admin,
    call,
    openMerchant: (timezone) => openMerchant(api.database, sealer, timezone),
    sync,
    async syncAndSettle(merchant, ...orders) {
      await sync(merchant, ...orders);
      await waitFor(() => isIdle(merchant), { everyMs: 10, deadlineMs: 30_000, what: 'the end of all work' });
    },
    link: (merchant, referrer, referee) =>
      call(
        linkPath,
        { referrer_member_id: referrer, referee_member_id: referee },
        { key: merchant.secretKey },
      ),
    boot: (merchant, body, options) => {
      const signed = 'user_hash' in body ? body : { ...body, user_hash: userHashOf(merchant, body.user_id) };
      return call(bootPath, signed, { key: merchant.publicKey, ...options });
    },
    async receiver(merchant, events, options = {}, path = '/hook') {
      const receiver = await startReceiver({ signingSecret: merchant.signingSecret, ...options });
      cleanup.add(() => receiver.close());
      await admin('webhook add', { merchant: merchant.id, url: receiver.url + path, events });
      return receiver;
    },
    close: () => cleanup.run(),
  };
}
