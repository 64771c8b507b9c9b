import {
  listDueEndpoints,
  openDatabase,
  openSealer,
  pingDatabase,
  recordAttempts,
} from '@rewardhook/database';
import type { AttemptRow } from '@rewardhook/database';
import {
  coalesce,
  connectProducer,
  connectWorker,
  disconnect,
  openProducer,
  work,
} from '@rewardhook/pipeline';
import { observeJobs, repeat, runProcess, showQueue } from '@rewardhook/process';
import { openWebhookClient } from '@rewardhook/webhook';
import { readDeliverySettings } from './environment.ts';
import { serveEndpoint } from './serve-endpoint.ts';

await runProcess('webhook-delivery', readDeliverySettings, async (settings, context) => {
  const { log, metrics, release, check, fail } = context;
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'rewardhook-webhook-delivery',
  });
  release('database', () => database.$disconnect());
  const producing = connectProducer(settings.REDIS_URL, log);
  release('redis (producer)', () => disconnect(producing));
  const redis = connectWorker(settings.REDIS_URL, log);
  release('redis', () => disconnect(redis));
  const delivery = openProducer('webhook-delivery', producing, settings.QUEUE_PREFIX);
  release('delivery queue', () => delivery.close());
  const client = openWebhookClient({ allowLoopbackHttp: settings.WEBHOOK_ALLOW_LOOPBACK });
  release('webhook client', () => client.close());

  const attempts = metrics.counter('attempts_total', 'Webhook attempts by what came of them', ['outcome']);
  const store = coalesce(
    async (rows: AttemptRow[]) => {
      await recordAttempts(database, rows);
      return rows.map(() => undefined);
    },
    { maxWeight: 500, parallel: 2 },
  );
  const ending = new AbortController();
  const worker = work({
    stage: 'webhook-delivery',
    redis,
    prefix: settings.QUEUE_PREFIX,
    concurrency: settings.CONCURRENCY,
    handle: serveEndpoint({
      database,
      sealer: openSealer(settings.SECRETS_KEY),
      client,
      async record(attempt) {
        await store(attempt);
        attempts.inc({ outcome: attempt.errorClass ?? String(attempt.status) });
      },
      delivery,
      endpointConcurrency: settings.ENDPOINT_CONCURRENCY,
      ending: ending.signal,
      log,
    }),
    log,
    observe: observeJobs(metrics),
    onStuck: fail,
  });
  release('worker', () => worker.close());
  showQueue(metrics, () => worker.counts());

  // Retries wake up here alone: when one is due stands in PostgreSQL, and Redis may be emptied at any time.
  const sweeper = repeat('sweep of deliveries', 500, log, async () => {
    await delivery.enqueue(await listDueEndpoints(database));
  });
  release('sweeper', () => sweeper.stop());
  release('turns', () => ending.abort());

  check('redis', () => redis.ping());
  check('database', () => pingDatabase(database));
});
