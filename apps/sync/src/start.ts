import { openDatabase, pingDatabase, watchDatabase } from '@rewardhook/database';
import { connectStage, openProducer, work } from '@rewardhook/pipeline';
import { observeJobs, showQueue } from '@rewardhook/process';
import type { ProcessContext, WorkerSettings } from '@rewardhook/process';
import { storeOrders } from './store-orders.ts';

/** Starts the sync stage. */
export async function startSync(settings: WorkerSettings, context: ProcessContext): Promise<void> {
  const { log, metrics, release, check, fail } = context;
  const { QUEUE_PREFIX: prefix, CONCURRENCY: concurrency } = settings;
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'rewardhook-sync',
  });
  release('database', () => database.$disconnect());
  check('database', () => pingDatabase(database));
  watchDatabase(database, context);
  const { working, producing } = connectStage(settings.REDIS_URL, context);
  const evaluation = openProducer('reward-evaluation', producing, prefix);
  release('evaluation queue', () => evaluation.close());

  const worker = work({
    stage: 'sync',
    redis: working,
    prefix,
    concurrency,
    handle: storeOrders({ database, evaluation, log }),
    log,
    observe: observeJobs(metrics),
    onStuck: fail,
  });
  release('worker', () => worker.close());
  showQueue(metrics, () => worker.counts());
}
