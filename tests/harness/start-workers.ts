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
    sweepAfterSeconds,
    stages = ['sync', 'reward-evaluation', 'webhook-delivery', 'housekeeping'],
  }: {
    newWebhookSeconds?: number | undefined;
    sweepAfterSeconds?: number | undefined;
    stages?: (Stage | 'housekeeping')[];
  } = {},
): Promise<{ close(): Promise<void> }> {
  const cleanup = openCleanup();
  const context = (service: string) => testContext(service, cleanup);
  const settings = {
    LOG_LEVEL: 'debug',
    LISTEN_HOST: '127.0.0.1',
    HEALTH_PORT: 0,
    DATABASE_URL: environment.databaseUrl,
    DATABASE_POOL_SIZE: 5,
    REDIS_URL: environment.redisUrl,
    QUEUE_PREFIX: environment.prefix,
    QUEUE_SHARDS: environment.shards ?? 1,
  };
  if (stages.includes('sync')) await startSync(settings, context('sync'));
  if (stages.includes('reward-evaluation'))
    await startRewardEvaluation(settings, context('reward-evaluation'), { sweepAfterSeconds });
  if (stages.includes('webhook-delivery'))
    await startWebhookDelivery(
      {
        ...settings,
        SECRETS_KEY: environment.secretsKey,
        WEBHOOK_ALLOW_LOOPBACK: true,
      },
      context('webhook-delivery'),
      // In many tests a receiver fails from its first request on.
      { newEndpointSeconds: newWebhookSeconds },
    );
  if (stages.includes('housekeeping'))
    await startHousekeeping(
      {
        ...settings,
        ...readSettings<RetentionSettings>(retentionSettings, {}),
        // The stages run in the process of the test, which writes no heartbeat.
        EXPECTED_PROCESSES: 'api:0',
      },
      context('housekeeping'),
    );
  return { close: () => cleanup.run() };
}
