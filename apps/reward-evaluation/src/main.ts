import { openDatabase, pingDatabase } from '@rewardhook/database';
import { connectProducer, connectWorker, disconnect, openProducer, work } from '@rewardhook/pipeline';
import { observeJobs, repeat, runProcess, showQueue } from '@rewardhook/process';
import { readEvaluationSettings } from './environment.ts';
import { evaluateOrders } from './evaluate-orders.ts';
import { sweepHolds, sweepJudgements } from './sweep.ts';

await runProcess('reward-evaluation', readEvaluationSettings, async (settings, context) => {
  const { log, metrics, release, check, fail } = context;
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'rewardhook-reward-evaluation',
  });
  release('database', () => database.$disconnect());
  const producing = connectProducer(settings.REDIS_URL, log);
  release('redis (producer)', () => disconnect(producing));
  const redis = connectWorker(settings.REDIS_URL, log);
  release('redis', () => disconnect(redis));
  const evaluation = openProducer('reward-evaluation', producing, settings.QUEUE_PREFIX);
  release('evaluation queue', () => evaluation.close());
  const delivery = openProducer('webhook-delivery', producing, settings.QUEUE_PREFIX);
  release('delivery queue', () => delivery.close());

  const decisions = metrics.counter('decisions_total', 'Judgements by reason', ['reason']);
  const worker = work({
    stage: 'reward-evaluation',
    redis,
    prefix: settings.QUEUE_PREFIX,
    concurrency: settings.CONCURRENCY,
    handle: evaluateOrders({
      database,
      delivery,
      evaluation,
      onDecision: (reason) => decisions.inc({ reason }),
      log,
    }),
    log,
    observe: observeJobs(metrics),
    onStuck: fail,
  });
  release('worker', () => worker.close());
  showQueue(metrics, () => worker.counts());

  const swept = metrics.counter('judgements_swept_total', 'Orders that the sweeper queued');
  // Holds end to the second; the look costs one probe of a small index.
  const holds = repeat('look for holds that are over', 500, log, async () => {
    await sweepHolds(database, evaluation);
  });
  release('holds', () => holds.stop());
  const sweeper = repeat('sweep of judgements', 1_000, log, async () => {
    swept.inc(await sweepJudgements(database, evaluation, settings.SWEEP_AFTER_SECONDS));
  });
  release('sweeper', () => sweeper.stop());

  check('redis', () => redis.ping());
  check('database', () => pingDatabase(database));
});
