import { judgeBatch } from '@rewardhook/database';
import type { Database, DueBatch } from '@rewardhook/database';
import type { Jobs, Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import { decide } from './decide.ts';

export interface Evaluated {
  judged: number;
  /** How many orders came to which reason. */
  reasons: Record<string, number>;
}

/** The evaluate stage: judges a batch of orders and, once that is stored, wakes the delivery of what is to be told. */
export function evaluateOrders(options: {
  database: Database;
  delivery: Producer<'webhook-delivery'>;
  evaluation: Producer<'reward-evaluation'>;
  onDecisions(reason: string, count: number): void;
  log: Logger;
}): (job: Jobs['reward-evaluation']) => Promise<Evaluated> {
  const { database, delivery, evaluation, onDecisions, log } = options;

  return async ({ merchantId, batchId }) => {
    const { decisions, endpointIds, review } = await judgeBatch(database, merchantId, batchId, decide);
    const reasons: Record<string, number> = {};
    for (const { reason } of decisions) reasons[reason] = (reasons[reason] ?? 0) + 1;
    for (const [reason, count] of Object.entries(reasons)) onDecisions(reason, count);
    await wakeNext(merchantId, endpointIds, review);
    return { judged: decisions.length, reasons };
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
