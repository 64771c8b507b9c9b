import type { Stage } from '@rewardhook/pipeline';
import { readSettings, retentionSettings } from '@rewardhook/process';
import type { RetentionSettings } from '@rewardhook/process';
import { startHousekeeping } from '../../apps/housekeeping/src/start.ts';
import { startRewardEvaluation } from '../../apps/reward-evaluation/src/start.ts';
import { startSync } from '../../apps/sync/src/start.ts';
import { startWebhookDelivery } from '../../apps/webhook-delivery/src/start.ts';
import { openCleanup } from './cleanup.ts';
import type { TestEnvironment } from './start-api.ts';
import { testContext } from './test-context.ts';

/** Starts the stages behind the API, and the housekeeping, in the process of the test, with the functions that their main.ts call. */
export async function startWorkers(
  environment: TestEnvironment,
  {
    newWebhookSeconds = 0,
    sweepAfterSeconds = 15,
    stages = ['sync', 'reward-evaluation', 'webhook-delivery', 'housekeeping'],
  }: {
    newWebhookSeconds?: number | undefined;
    sweepAfterSeconds?: number;
    stages?: (Stage | 'housekeeping')[];
  } = {},
): Promise<{ close(): Promise<void> }> {
  const cleanup = openCleanup();
  const context = (service: string) => testContext(service, cleanup);
  const settings = {
    LOG_LEVEL: 'debug',
    HEALTH_HOST: '127.0.0.1',
    HEALTH_PORT: 0,
    DATABASE_URL: environment.databaseUrl,
    DATABASE_POOL_SIZE: 5,
    REDIS_URL: environment.redisUrl,
    QUEUE_PREFIX: environment.prefix,
    QUEUE_SHARDS: environment.shards ?? 1,
    CONCURRENCY: 8,
  };
  if (stages.includes('sync')) await startSync(settings, context('sync'));
  if (stages.includes('reward-evaluation'))
    await startRewardEvaluation(
      // The default. A test of fairness needs more merchants than that.
      { ...settings, CONCURRENCY: 4, SWEEP_AFTER_SECONDS: sweepAfterSeconds },
      context('reward-evaluation'),
    );
  if (stages.includes('webhook-delivery'))
    await startWebhookDelivery(
      {
        ...settings,
        SECRETS_KEY: environment.secretsKey,
        ENDPOINT_CONCURRENCY: 32,
        // In many tests a receiver fails from its first request on.
        NEW_WEBHOOK_SECONDS: newWebhookSeconds,
        WEBHOOK_ALLOW_LOOPBACK: true,
      },
      context('webhook-delivery'),
    );
  if (stages.includes('housekeeping'))
    await startHousekeeping(
      {
        ...settings,
        NOTICE_DIGEST_MINUTES: 60,
        ...readSettings<RetentionSettings>(retentionSettings, {}),
      },
      context('housekeeping'),
    );
  return { close: () => cleanup.run() };
}
