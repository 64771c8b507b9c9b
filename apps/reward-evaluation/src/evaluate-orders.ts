import { failuresBeforeSplit, isTransient, evaluateBatch, recordFailure } from '@rewardhook/database';
import type { Database, DueBatch } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import { decide } from './decide.ts';

export interface Evaluated {
  evaluated: number;
  /** How many orders came to which reason. */
  reasons: Record<string, number>;
}

/** Evaluates a batch of orders and, once that is stored, wakes the delivery of the events that it made. */
export function evaluateOrders(options: {
  database: Database;
  delivery: Producer<'webhook-delivery'>;
  evaluation: Producer<'reward-evaluation'>;
  onDecisions(reason: string, count: number): void;
  log: Logger;
}): (batch: Jobs['reward-evaluation']) => Promise<Evaluated> {
  const { database, delivery, evaluation, onDecisions, log } = options;

  return async ({ merchantId, batchId }) => {
    const { decisions, endpointIds, review } = await evaluateBatch(database, merchantId, batchId, decide);
    const reasons: Record<string, number> = {};
    for (const { reason } of decisions) reasons[reason] = (reasons[reason] ?? 0) + 1;
    for (const [reason, count] of Object.entries(reasons)) onDecisions(reason, count);
    await wakeNext(merchantId, endpointIds, review);
    return { evaluated: decisions.length, reasons };
  };

  async function wakeNext(merchantId: string, endpointIds: string[], review: DueBatch[]): Promise<void> {
    try {
      await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
      await evaluation.enqueue(review);
    } catch (error) {
      // Everything is stored: what cannot be queued now is queued by the sweepers.
      log.warn('the next stage is left to the sweeper', { merchantId, error });
    }
  }
}

/**
 * The evaluate stage. A batch that fails is tried again, unless it has failed repeatedly for a reason that does not
 * pass: then its job ends, and what becomes of it is up to `narrowDown`.
 */
export function evaluateJob(options: {
  database: Database;
  evaluate(batch: Jobs['reward-evaluation']): Promise<Evaluated>;
  log: Logger;
}): (job: Jobs['reward-evaluation']) => Promise<Evaluated> {
  const { database, evaluate, log } = options;

  return async (job) => {
    try {
      return await evaluate(job);
    } catch (error) {
      if (isTransient(error)) throw error;
      const failures = await recordFailure(database, job, messageOf(error));
      if (failures < failuresBeforeSplit) throw error;
      log.warn('the evaluation of a batch failed repeatedly: it is narrowed down', {
        ...job,
        failures,
        error,
      });
      return { evaluated: 0, reasons: {} };
    }
  };
}

/** What an error says, cut to a length that a row can hold. */
export function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll('\0', '').slice(0, 500);
}
