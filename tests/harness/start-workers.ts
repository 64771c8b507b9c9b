import { listDueEndpoints, openDatabase, openSealer, recordAttempts } from '@rewardhook/database';
import type { AttemptRow } from '@rewardhook/database';
import {
  coalesce,
  connectProducer,
  connectWorker,
  disconnect,
  openProducer,
  work,
} from '@rewardhook/pipeline';
import type { Jobs, Stage } from '@rewardhook/pipeline';
import { repeat } from '@rewardhook/process';
import { openWebhookClient } from '@rewardhook/webhook';
import { waitFor } from '@rewardhook/testing';
import { evaluateOrders } from '../../apps/reward-evaluation/src/evaluate-orders.ts';
import { sweepHolds, sweepJudgements } from '../../apps/reward-evaluation/src/sweep.ts';
import { storeOrders } from '../../apps/sync/src/store-orders.ts';
import { serveEndpoint } from '../../apps/webhook-delivery/src/serve-endpoint.ts';
import { openReleases } from './releases.ts';
import { silentLog as log } from './silent-log.ts';
import type { Place } from './start-api.ts';

/** Starts the three stages behind the API in the test's process, each wired as its main.ts does. */
export async function startWorkers(place: Place): Promise<{ close(): Promise<void> }> {
  const { prefix } = place;
  const releases = openReleases();
  const database = openDatabase({ url: place.databaseUrl, poolSize: 10, applicationName: 'test-workers' });
  releases.add(() => database.$disconnect());
  const producing = connectProducer(place.redisUrl, log);
  releases.add(() => disconnect(producing));
  const redis = connectWorker(place.redisUrl, log);
  releases.add(() => disconnect(redis));
  const evaluation = openProducer('reward-evaluation', producing, prefix);
  releases.add(() => evaluation.close());
  const delivery = openProducer('webhook-delivery', producing, prefix);
  releases.add(() => delivery.close());
  const client = openWebhookClient({ allowLoopbackHttp: true });
  releases.add(() => client.close());
  const record = coalesce(
    async (rows: AttemptRow[]) => {
      await recordAttempts(database, rows);
      return rows.map(() => undefined);
    },
    { maxWeight: 500, parallel: 2 },
  );
  const ending = new AbortController();

  const workOn = <S extends Stage>(stage: S, handle: (job: Jobs[S]) => Promise<unknown>) => {
    const onStuck = (reason: string) => log.error(reason);
    const worker = work({ stage, redis, prefix, concurrency: 8, handle, log, observe() {}, onStuck });
    releases.add(() => worker.close());
  };
  workOn('sync', storeOrders({ database, evaluation, log }));
  workOn('reward-evaluation', evaluateOrders({ database, delivery, evaluation, onDecision() {}, log }));
  workOn(
    'webhook-delivery',
    serveEndpoint({
      database,
      sealer: openSealer(place.secretsKey),
      client,
      record,
      delivery,
      endpointConcurrency: 32,
      ending: ending.signal,
      log,
    }),
  );
  const judgements = repeat('sweep of judgements', 1_000, log, async () => {
    await sweepJudgements(database, evaluation, 15);
  });
  releases.add(() => judgements.stop());
  const holds = repeat('look for holds that are over', 100, log, async () => {
    await sweepHolds(database, evaluation);
  });
  releases.add(() => holds.stop());
  const deliveries = repeat('sweep of deliveries', 100, log, async () => {
    await delivery.enqueue(await listDueEndpoints(database));
  });
  releases.add(() => deliveries.stop());
  releases.add(() => ending.abort());
  await waitFor(() => producing.status === 'ready', { everyMs: 5, what: 'the connection to Redis' });
  return { close: () => releases.run() };
}
