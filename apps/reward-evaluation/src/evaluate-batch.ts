import { evaluateBatch, failuresBeforeSplit, isTransient, recordFailure } from '@rewardhook/database';
import type { Database, DueBatch } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import { logRequests } from '@rewardhook/process';
import type { Logger, Tracing } from '@rewardhook/process';
import { decide } from './decide.ts';
import { openEvaluationTraces } from './evaluation-traces.ts';

/** The data of a job: a batch of orders that are due. */
type Batch = Jobs['reward-evaluation'];

/** The result of a job. */
export interface Evaluated {
  /** Number of orders that were evaluated. */
  evaluated: number;
  /** Number of orders by reason code. */
  reasons: Record<string, number>;
}

/**
 * Returns the function that evaluates one batch: it writes the decisions with everything that follows from them, then
 * enqueues the delivery of the new events and the orders that have to be evaluated again.
 */
export function batchEvaluator(options: {
  database: Database;
  delivery: Producer<'webhook-delivery'>;
  evaluation: Producer<'reward-evaluation'>;
  onDecisions(reason: string, count: number): void;
  /** Called for each batch with the time from due to evaluated, in seconds. */
  onEvaluated(dueSeconds: number): void;
  tracing: Tracing;
  log: Logger;
}): (batch: Batch) => Promise<Evaluated> {
  const { database, delivery, evaluation, onDecisions, onEvaluated, tracing, log } = options;

  return async ({ merchantId, batchId }) => {
    const startedAt = performance.now();
    const traces = openEvaluationTraces(tracing, { merchantId, batchId });
    const { decisions, endpointIds, enqueued, dueSeconds } = await evaluateBatch(
      database,
      merchantId,
      batchId,
      decide,
      traces.begin,
    ).catch((error: unknown) => {
      traces.end(error);
      throw error;
    });
    traces.end();
    logRequests(
      log,
      'orders evaluated',
      { merchantId, batchId, decisions: decisions.length },
      traces.requests(),
    );
    if (dueSeconds !== undefined) onEvaluated(dueSeconds + (performance.now() - startedAt) / 1_000);
    const reasons: Record<string, number> = {};
    for (const { reason } of decisions) reasons[reason] = (reasons[reason] ?? 0) + 1;
    for (const [reason, count] of Object.entries(reasons)) onDecisions(reason, count);
    await enqueueNext(merchantId, endpointIds, enqueued);
    return { evaluated: decisions.length, reasons };
  };

  async function enqueueNext(merchantId: string, endpointIds: string[], batches: DueBatch[]): Promise<void> {
    try {
      await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
      await evaluation.enqueue(batches);
    } catch (error) {
      // Everything is stored: the sweepers enqueue what could not be enqueued here.
      log.warn('the next jobs could not be enqueued; the sweeper enqueues them', { merchantId, error });
    }
  }
}

/**
 * Returns the handler of the evaluate stage. A failing batch is retried. A batch that has failed repeatedly with an
 * error that is not transient gets no more retries: its job ends, and `failureIsolator` takes over.
 */
export function batchJobHandler(options: {
  database: Database;
  evaluate(batch: Batch): Promise<Evaluated>;
  log: Logger;
}): (batch: Batch) => Promise<Evaluated> {
  const { database, evaluate, log } = options;

  return async (batch) => {
    try {
      return await evaluate(batch);
    } catch (error) {
      if (isTransient(error)) throw error;
      const failures = await recordFailure(database, batch, messageOf(error));
      if (failures < failuresBeforeSplit) throw error;
      log.warn('the evaluation of a batch failed repeatedly; its failing orders are isolated', {
        ...batch,
        failures,
        error,
      });
      return { evaluated: 0, reasons: {} };
    }
  };
}

/** The message of an error, truncated to the length that is stored. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, 500);
}
