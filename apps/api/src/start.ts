import type { Express } from 'express';
import {
  connectDatabase,
  findFreeVersion,
  findInstallationId,
  findKeyOwner,
  insertRequests,
  openSql,
  openSealer,
  updateApiKeysLastUsed,
  updateFeedRead,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import {
  checkDurabilityWhenReady,
  connectQueues,
  enqueueDueWith,
  intakeCommandTimeoutMs,
  openIntake,
  openRateLimits,
  openRefusedRequestCounter,
} from '@rewardhook/pipeline';
import { loopbackWarning, openAddressHash, serve, withoutTrailingSlashes } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { openWebhookClient } from '@rewardhook/webhook';
import { createApp } from './app.ts';
import type { ApiSettings } from './environment.ts';
import { defaultLimits } from './limits/default-limits.ts';
import type { ApiLimits } from './limits/default-limits.ts';
import { refuseUnreadable, requireHost, serverOptions } from './http/http-server.ts';
import { openKeyOwners } from './keys/key-owners.ts';
import { openUsageRecord } from './record-usage.ts';
import { openRequestLog } from './requests/request-log.ts';
import { openAddressLimits } from './limits/address-limits.ts';
import { openHourlyLimits } from './limits/hourly-limits.ts';
import { openKeyLimits } from './limits/key-limits.ts';

/** The running API. */
export interface RunningApi {
  /** Where it listens, without a slash at the end. */
  url: string;
  app: Express;
  database: Database;
}

/** Connections to PostgreSQL that only read the owners of keys. */
const keyConnections = 2;

/** How long replicas of Redis may take to confirm a request, in milliseconds. */
const replicaWaitMs = 500;

/** Starts the API. `limits`, and how long a key is cached (`keyFreshMs`, in milliseconds), are for tests. */
export async function startApi(
  settings: ApiSettings,
  context: ProcessContext,
  { keyFreshMs, limits = defaultLimits }: { keyFreshMs?: number | undefined; limits?: ApiLimits } = {},
): Promise<RunningApi> {
  const { log, metrics, tracing, accessLog, release, check, shutdown } = context;
  const sealer = openSealer(settings.SECRETS_KEY);
  // Not required: while PostgreSQL is unavailable, orders are accepted with the keys in the cache.
  const database = connectDatabase(settings, context, { sealer, required: false });
  // The check of a key must not wait for connections that requests of merchants hold: a revoked key is refused in time.
  const databaseOfKeys = openSql({
    url: settings.DATABASE_URL,
    poolSize: keyConnections,
    applicationName: 'rewardhook-api-keys',
  });
  release('database of keys', () => databaseOfKeys.$disconnect());
  const queues = connectQueues(settings, context, {
    installationId: () => findInstallationId(database),
    timeoutMs: intakeCommandTimeoutMs,
  });
  checkDurabilityWhenReady(queues.redis, log);
  const shards = { prefix: settings.QUEUE_PREFIX, shards: settings.QUEUE_SHARDS };
  const intake = openIntake(queues.redis, {
    ...shards,
    waitReplicas: settings.REDIS_WAIT_REPLICAS,
    waitMs: replicaWaitMs,
    maxWaitingKib: settings.API_MERCHANT_WAITING_KIB,
    findFreeVersion: () => findFreeVersion(database),
    installation: queues.installation,
    log,
  });
  release('intake', () => intake.close());
  const enqueueDue = enqueueDueWith(
    queues.openProducer('reward-evaluation'),
    queues.openProducer('webhook-delivery'),
    log,
  );

  const checkRedis = () => {
    intake.check();
    return queues.check();
  };
  check('redis', checkRedis);

  const allowLoopbackHttp = settings.WEBHOOK_ALLOW_LOOPBACK;
  if (allowLoopbackHttp) log.warn(loopbackWarning);
  const webhookClient = openWebhookClient({ allowLoopbackHttp });
  release('webhook client', () => webhookClient.close());

  const openRateLimit = openRateLimits(queues.redis, { ...shards, check: () => intake.check() });
  const hashAddress = openAddressHash(settings.SECRETS_KEY);
  const refusedRequests = openRefusedRequestCounter(queues.redis, settings.QUEUE_PREFIX, log);
  release('count of refused requests', () => refusedRequests.stop());
  const requestLog = openRequestLog(
    (...[writer, requests, counts]) => insertRequests(database, writer, requests, counts),
    { metrics, log },
  );
  release('list of requests', () => requestLog.stop());
  const publicUrl = settings.API_PUBLIC_URL ?? `http://127.0.0.1:${settings.API_PORT}`;
  const app = createApp({
    database,
    sealer,
    intake,
    owners: openKeyOwners({ read: (sha256) => findKeyOwner(databaseOfKeys, sha256), freshMs: keyFreshMs }),
    uses: openUsageRecord({ write: (keyIds) => updateApiKeysLastUsed(database, keyIds) }),
    refusedRequests,
    requestLog,
    feedReads: openUsageRecord({ write: (merchantIds) => updateFeedRead(database, merchantIds) }),
    enqueueDue,
    keyLimits: openKeyLimits(openRateLimit, {
      requestsPerSecond: settings.API_KEY_REQUESTS_PER_SECOND,
      ordersPerSecond: settings.API_KEY_ORDERS_PER_SECOND,
    }),
    addressLimits: openAddressLimits(openRateLimit, hashAddress, {
      requestsPerSecond: settings.API_ADDRESS_REQUESTS_PER_SECOND,
      unknownKeysPerSecond: limits.unknownKeysPerSecond,
    }),
    hourlyLimits: openHourlyLimits(openRateLimit, hashAddress, limits),
    webhookClient,
    publicUrl: withoutTrailingSlashes(publicUrl),
    trustedProxies: settings.API_TRUST_PROXY,
    checks: [
      { name: 'redis', check: checkRedis, required: true },
      { name: 'shutdown', check: () => shutdown.throwIfAborted(), required: true },
    ],
    limits,
    metrics,
    tracing,
    accessLog,
    log,
  });
  const { LISTEN_HOST: host, API_PORT: port, SHUTDOWN_DELAY_SECONDS: shutdownDelaySeconds } = settings;
  const { HTTP_KEEP_ALIVE_SECONDS: keepAliveSeconds } = settings;
  const { url } = await serve(
    requireHost(app),
    { host, port, shutdownDelaySeconds, keepAliveSeconds, server: serverOptions, prepare: refuseUnreadable },
    context,
  );
  return { url, app, database };
}
