import { openDatabase, pingDatabase } from '@rewardhook/database';
import {
  checkDurability,
  connectProducer,
  connectWorker,
  disconnect,
  openProducer,
  work,
} from '@rewardhook/pipeline';
import { observeJobs, runProcess, showQueue } from '@rewardhook/process';
import { readSyncSettings } from './environment.ts';
import { storeOrders } from './store-orders.ts';

await runProcess('sync', readSyncSettings, async (settings, { log, metrics, release, check, fail }) => {
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'rewardhook-sync',
  });
  release('database', () => database.$disconnect());
  const producing = connectProducer(settings.REDIS_URL, log);
  release('redis (producer)', () => disconnect(producing));
  const redis = connectWorker(settings.REDIS_URL, log);
  release('redis', () => disconnect(redis));
  redis.once('ready', () => void checkDurability(redis, log).catch(() => undefined));
  const evaluation = openProducer('reward-evaluation', producing, settings.QUEUE_PREFIX);
  release('evaluation queue', () => evaluation.close());

  const worker = work({
    stage: 'sync',
    redis,
    prefix: settings.QUEUE_PREFIX,
    concurrency: settings.CONCURRENCY,
    handle: storeOrders({ database, evaluation, log }),
    log,
    observe: observeJobs(metrics),
    onStuck: fail,
  });
  release('worker', () => worker.close());
  showQueue(metrics, () => worker.counts());

  check('redis', () => redis.ping());
  check('database', () => pingDatabase(database));
});
