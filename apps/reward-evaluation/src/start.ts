import { connectDatabase, countParked, unparkDecided } from '@rewardhook/database';
import { connectStage } from '@rewardhook/pipeline';
import { repeat } from '@rewardhook/process';
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
  const { log, metrics, release } = context;
  const database = connectDatabase(settings, context);
  const queues = connectStage('reward-evaluation', settings, context);
  const evaluation = queues.openProducer('reward-evaluation');
  const delivery = queues.openProducer('webhook-delivery');

  const decisions = metrics.counter('decisions_total', 'Judgements by reason', ['reason']);
  const onDecisions = (reason: string, count: number) => decisions.inc({ reason }, count);
  const evaluate = evaluateOrders({ database, delivery, evaluation, onDecisions, log });
  queues.startWorker(evaluateJob({ database, evaluate, log }));

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
