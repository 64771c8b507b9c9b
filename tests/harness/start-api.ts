import type { Express } from 'express';
import type { Database } from '@rewardhook/database';
import type { HealthCheck, Metrics } from '@rewardhook/process';
import { observeAnswers, openAnswerCheck } from '@rewardhook/testing/answers';
import { waitFor } from '@rewardhook/testing';
import type { CheckAnswer, ObservedAnswer } from '@rewardhook/testing/answers';
import { readApiSettings } from '../../apps/api/src/environment.ts';
import { defaultLimits } from '../../apps/api/src/limits/default-limits.ts';
import type { ApiLimits } from '../../apps/api/src/limits/default-limits.ts';
import { buildOpenApiDocument } from '../../apps/api/src/openapi/document.ts';
import { startApi as start } from '../../apps/api/src/start.ts';
import { openCleanup } from './cleanup.ts';
import { testContext } from './test-context.ts';

/** The servers that a process under test uses, and the key that encrypts its secrets. */
export interface TestEnvironment {
  databaseUrl: string;
  redisUrl: string;
  /** The prefix of the queues. Each test file has its own. */
  prefix: string;
  /** Number of shards of the queues; default 1. */
  shards?: number;
  secretsKey: string;
}

/** Options of the API under test. The defaults are those of production. */
export interface ApiOptions extends TestEnvironment {
  /** Maximum KiB of orders of a merchant that wait to be stored. */
  maxWaitingKib?: number;
  /** Number of replicas that must have a request before it is answered 202. */
  waitReplicas?: number;
  /** Limits that are the same for every installation, but not so tight that tests wait. */
  limits?: Partial<ApiLimits>;
  /** Maximum numbers per second of a key and of a client address. */
  rates?: { keyRequests?: number; keyOrders?: number; addressRequests?: number };
  /** Number of trusted proxies in front of the API. */
  trustedProxies?: number;
  /** How long a key is cached, in milliseconds. */
  keyFreshMs?: number;
  /** Do not wait until Redis is used: it is down, or PostgreSQL is. */
  withoutRedis?: boolean;
}

/** The API, running in the process of the test. */
export interface RunningApi {
  url: string;
  /** The Express app, for tests that list its routes. */
  app: Express;
  database: Database;
  metrics: Metrics;
  close(): Promise<void>;
}

let openedCheck: CheckAnswer | undefined;

/**
 * Compares every answer of the API with its OpenAPI document. The function that it returns ends this, and throws when an
 * answer was not as described.
 */
function checkAnswers(url: string): () => void {
  // Compared at the end, so that it takes no time from what a test measures.
  const answers: ObservedAnswer[] = [];
  const stop = observeAnswers(url, (answer) => answers.push(answer));
  return () => {
    stop();
    openedCheck ??= openAnswerCheck(buildOpenApiDocument('https://api.example'));
    const problems = new Set(answers.splice(0).flatMap(openedCheck));
    if (problems.size > 0)
      throw new Error(`answers are not as the OpenAPI document says:\n${[...problems].join('\n')}`);
  };
}

/** Starts the API on a free port, with the function that its main.ts calls. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { limits, rates = {} } = options;
  const cleanup = openCleanup();
  let checkRedis: HealthCheck = () => undefined;
  const context = testContext('api', cleanup, { check: (_name, check) => (checkRedis = check) });
  const defaults = readApiSettings({
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    SECRETS_KEY: options.secretsKey,
  });
  const settings = {
    ...defaults,
    DATABASE_POOL_SIZE: 8,
    QUEUE_PREFIX: options.prefix,
    SHUTDOWN_DELAY_SECONDS: 0,
    HTTP_KEEP_ALIVE_SECONDS: 65,
    QUEUE_SHARDS: options.shards ?? 1,
    REDIS_WAIT_REPLICAS: options.waitReplicas ?? defaults.REDIS_WAIT_REPLICAS,
    WEBHOOK_ALLOW_LOOPBACK: true,
    API_PORT: 0,
    API_PUBLIC_URL: 'https://share.example',
    API_TRUST_PROXY: options.trustedProxies ?? defaults.API_TRUST_PROXY,
    API_MERCHANT_WAITING_KIB: options.maxWaitingKib ?? defaults.API_MERCHANT_WAITING_KIB,
    API_KEY_REQUESTS_PER_SECOND: rates.keyRequests ?? defaults.API_KEY_REQUESTS_PER_SECOND,
    API_KEY_ORDERS_PER_SECOND: rates.keyOrders ?? defaults.API_KEY_ORDERS_PER_SECOND,
    API_ADDRESS_REQUESTS_PER_SECOND: rates.addressRequests ?? defaults.API_ADDRESS_REQUESTS_PER_SECOND,
  };
  const { url, app, database } = await start(settings, context, {
    keyFreshMs: options.keyFreshMs,
    limits: {
      ...defaultLimits,
      requestsInProgress: 64,
      testSeconds: 0,
      ...limits,
    },
  });
  cleanup.add(checkAnswers(url));
  if (!options.withoutRedis)
    await waitFor(() => (checkRedis(), true), { everyMs: 5, what: 'the connection to Redis' });
  return { url, app, database, metrics: context.metrics, close: () => cleanup.run() };
}
