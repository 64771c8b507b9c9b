import type { Express } from 'express';
import { findKeyOwner, openDatabase, openSealer, updateApiKeysLastUsed } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import {
  connectProducer,
  disconnect,
  openIntake,
  openProducer,
  openVelocity,
  withLocalFallback,
} from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { openAddressHash, openMetrics } from '@rewardhook/process';
import type { Metrics } from '@rewardhook/process';
import { waitFor } from '@rewardhook/testing';
import { createApp } from '../../apps/api/src/app.ts';
import { serve } from '../../apps/api/src/http/serve.ts';
import { openKeyOwners } from '../../apps/api/src/keys/key-owners.ts';
import { openKeyUses } from '../../apps/api/src/keys/key-uses.ts';
import { openHourlyLimits } from '../../apps/api/src/limits/hourly-limits.ts';
import type { HourlyMaxima } from '../../apps/api/src/limits/hourly-limits.ts';
import { openFlagLink } from '../../apps/api/src/members/flag-link.ts';
import { openEarlierOrders } from '../../apps/api/src/members/enqueue-earlier-orders.ts';
import { openCleanup } from './cleanup.ts';
import { testLog as log } from './test-log.ts';

/** Where a stage under test works, and with which key its secrets are sealed. */
export interface TestEnvironment {
  databaseUrl: string;
  redisUrl: string;
  /** The prefix of the queues, a test file's own. */
  prefix: string;
  secretsKey: string;
}

export interface ApiOptions extends TestEnvironment {
  maxOrders?: number;
  maxBodyBytes?: number;
  /** Most bytes of bodies in flight; default as in production. */
  bodiesInFlight?: { process: number; key: number };
  /** Most links an hour that carry no flag; default 30 and 10. */
  linksPerHour?: { perCode: number; perAddress: number };
  /** Most members and clicks an hour; defaults as in production. */
  hourlyMaxima?: Partial<HourlyMaxima>;
  /** Proxies before the API that X-Forwarded-For is believed of; default none. */
  trustedProxies?: number;
  /** How long a key is remembered without being looked up again, in milliseconds; default as in production. */
  keyFreshMs?: number;
  /** Do not wait for Redis: it is down. */
  withoutRedis?: boolean;
}

/** The ingestion API, running in the test's process. */
export interface RunningApi {
  url: string;
  /** What is served: its routes can be looked at. */
  app: Express;
  database: Database;
  redis: Redis;
  metrics: Metrics;
  close(): Promise<void>;
}

/** Starts the API on a free port, wired as its main.ts does. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { prefix, maxOrders = 5_000, maxBodyBytes = 10_485_760 } = options;
  const cleanup = openCleanup();
  const database = openDatabase({
    url: options.databaseUrl,
    poolSize: 8,
    applicationName: 'test-api',
  });
  cleanup.add(() => database.$disconnect());
  const redis = connectProducer(options.redisUrl, log);
  cleanup.add(() => disconnect(redis));
  const intake = openIntake(redis, prefix);
  cleanup.add(() => intake.close());
  const evaluation = openProducer('reward-evaluation', redis, prefix);
  cleanup.add(() => evaluation.close());
  const velocity = withLocalFallback(openVelocity(redis, prefix), () => intake.check());
  const hashAddress = openAddressHash(options.secretsKey);
  const metrics = openMetrics('api');
  const app = createApp({
    database,
    sealer: openSealer(options.secretsKey),
    intake,
    owners: openKeyOwners({
      read: (sha256) => findKeyOwner(database, sha256),
      ...(options.keyFreshMs === undefined ? {} : { freshMs: options.keyFreshMs }),
    }),
    uses: openKeyUses({ write: (keyIds) => updateApiKeysLastUsed(database, keyIds) }),
    enqueueEarlierOrders: openEarlierOrders(database, evaluation, log),
    flagLink: openFlagLink({
      velocity,
      hashAddress,
      limits: options.linksPerHour ?? { perCode: 30, perAddress: 10 },
    }),
    hourlyLimits: openHourlyLimits({
      velocity,
      hashAddress,
      maxima: {
        membersPerMerchant: 100_000,
        membersPerAddress: 300,
        clicksPerCode: 10_000,
        clicksPerAddress: 300,
        ...options.hourlyMaxima,
      },
    }),
    publicUrl: 'https://share.example',
    trustedProxies: options.trustedProxies ?? 0,
    checks: { redis: () => intake.check() },
    limits: {
      maxOrders,
      maxBodyBytes,
      bodiesInFlight: options.bodiesInFlight ?? { process: 50_331_648, key: 16_777_216 },
    },
    metrics,
    log,
  });
  const server = await serve(app, '127.0.0.1', 0);
  cleanup.add(() => server.close());
  if (!options.withoutRedis)
    await waitFor(() => (intake.check(), true), { everyMs: 5, what: 'the connection to Redis' });
  return { url: server.url, app, database, redis, metrics, close: () => cleanup.run() };
}
