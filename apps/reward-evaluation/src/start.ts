import { connectSql, findInstallationId, isDatabaseOutage, unparkDecided } from '@rewardhook/database/stages';
import { connectStage } from '@rewardhook/pipeline';
import { measureLatency, repeat } from '@rewardhook/process';
import type { ProcessContext, WorkerSettings } from '@rewardhook/process';
import { batchEvaluator, batchJobHandler } from './evaluate-batch.ts';
import { sweepDueOrders, sweepTimes } from './sweepers.ts';

/** Jobs at a time: more than the transactions that run at a time, so that batches of a merchant can share one. */
const concurrency = 16;

/**
 * Starts the evaluate stage: its worker and its sweepers. `sweepAfterSeconds`, the time after which a batch that is still due gets a
 * new job, is for tests.
 */
export async function startRewardEvaluation(
  settings: WorkerSettings,
  context: ProcessContext,
  { sweepAfterSeconds = 15 }: { sweepAfterSeconds?: number | undefined } = {},
): Promise<void> {
  const { log, metrics, tracing, release } = context;
  const database = connectSql(settings, context);
  const queues = connectStage('reward-evaluation', settings, context, () => findInstallationId(database));
  const evaluation = queues.openProducer('reward-evaluation');
  const delivery = queues.openProducer('webhook-delivery');

  const decisions = metrics.counter('decisions_total', 'Decisions by reason code', ['reason']);
  const evaluated = metrics.counter(
    'orders_evaluated_total',
    'Orders that were evaluated; sum over replicas',
  );
  const latency = measureLatency(metrics);
  const onDecisions = (reason: string, count: number) => {
    decisions.inc({ reason }, count);
    evaluated.inc(count);
  };
  const onEvaluated = (dueSeconds: number) => latency.observe({ stage: 'evaluated' }, dueSeconds);
  const evaluate = batchEvaluator({
    database,
    delivery,
    evaluation,
    onDecisions,
    onEvaluated,
    tracing,
    log,
  });

  // Holds end to the second. A run that finds nothing costs two probes of small indexes.
  const dueSweep = repeat('enqueue ended holds and reached payments', 500, log, () =>
    sweepTimes(database, evaluation),
  );
  release('due sweep', () => dueSweep.stop());
  const swept = metrics.counter(
    'evaluations_requeued_total',
    'Orders that were due without a job and that the sweeper enqueued again',
  );
  const sweeper = repeat('sweep due orders', 1_000, log, async () => {
    swept.inc(await sweepDueOrders(database, evaluation, sweepAfterSeconds));
  });
  release('sweeper', () => sweeper.stop());
  // Runs rarely: it reads all parked orders.
  const unparking = repeat('unpark orders that were decided', 5_000, log, () => unparkDecided(database));
  release('unparking', () => unparking.stop());

  // Started last, so that at shutdown it is closed first: it takes no job while the rest ends.
  queues.startWorker(batchJobHandler({ database, evaluate, log }), {
    concurrency,
    isOutage: isDatabaseOutage,
  });
}
