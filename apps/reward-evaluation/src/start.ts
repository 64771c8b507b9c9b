import { countParked, unparkDecided, openDatabase, pingDatabase, watchDatabase } from '@rewardhook/database';
import { connectStage, openProducer, work } from '@rewardhook/pipeline';
import { observeJobs, repeat, showQueue } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import type { EvaluationSettings } from './environment.ts';
import { evaluateJob, evaluateOrders } from './evaluate-orders.ts';
import { narrowDown } from './narrow-down.ts';
import { sweepHolds, sweepJudgements } from './sweep.ts';

/** Starts the evaluate stage with its sweepers. */
export async function startRewardEvaluation(
  settings: EvaluationSettings,
  context: ProcessContext,
): Promise<void> {
  const { log, metrics, release, check, fail } = context;
  const { QUEUE_PREFIX: prefix, CONCURRENCY: concurrency } = settings;
  const database = openDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    applicationName: 'rewardhook-reward-evaluation',
  });
  release('database', () => database.$disconnect());
  check('database', () => pingDatabase(database));
  watchDatabase(database, context);
  const { working, producing } = connectStage(settings.REDIS_URL, context);
  const evaluation = openProducer('reward-evaluation', producing, prefix);
  release('evaluation queue', () => evaluation.close());
  const delivery = openProducer('webhook-delivery', producing, prefix);
  release('delivery queue', () => delivery.close());

  const decisions = metrics.counter('decisions_total', 'Judgements by reason', ['reason']);
  const onDecisions = (reason: string, count: number) => decisions.inc({ reason }, count);
  const evaluate = evaluateOrders({ database, delivery, evaluation, onDecisions, log });
  const worker = work({
    stage: 'reward-evaluation',
    redis: working,
    prefix,
    concurrency,
    handle: evaluateJob({ database, evaluate, log }),
    log,
    observe: observeJobs(metrics),
    onStuck: fail,
  });
  release('worker', () => worker.close());
  showQueue(metrics, () => worker.counts());

  // Holds end to the second; the look costs one probe of a small index.
  const holds = repeat('look for holds that are over', 500, log, async () => {
    await sweepHolds(database, evaluation);
  });
  release('holds', () => holds.stop());
  const swept = metrics.counter('evaluations_requeued_total', 'Orders that the sweeper enqueued again');
  const sweeper = repeat('sweep of judgements', 1_000, log, async () => {
    swept.inc(await sweepJudgements(database, evaluation, settings.SWEEP_AFTER_SECONDS));
  });
  release('sweeper', () => sweeper.stop());
  metrics.gauge('orders_parked', 'Orders whose evaluation is set aside', () => countParked(database));
  const narrowing = repeat('narrow down what fails', 200, log, narrowDown({ database, evaluate, log }));
  release('narrowing', () => narrowing.stop());
  // Seldom: it reads all that is parked.
  const forgetting = repeat('forget parked orders that were decided', 5_000, log, () =>
    unparkDecided(database),
  );
  release('forgetting', () => forgetting.stop());
}
