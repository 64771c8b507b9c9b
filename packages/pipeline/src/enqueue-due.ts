import type { Logger } from '@rewardhook/process';
import type { Producer } from './queues.ts';
import type { Jobs } from './stages.ts';

/** What a change made due: batches of orders to evaluate, and endpoints with new deliveries. */
export interface DueWork {
  enqueued: Jobs['reward-evaluation'][];
  endpointIds: string[];
}

/** Adds the jobs of what became due for a merchant. It is stored already: what cannot be added now is added by the sweepers. */
export type EnqueueDue = (merchantId: string, due: DueWork) => Promise<void>;

/** Adds jobs with these producers. */
export function enqueueDueWith(
  evaluation: Pick<Producer<'reward-evaluation'>, 'enqueue'>,
  delivery: Pick<Producer<'webhook-delivery'>, 'enqueue'>,
  log: Logger,
): EnqueueDue {
  return async (merchantId, { enqueued, endpointIds }) => {
    // Of an act that is repeated, or only tried, nothing is due: without Redis there is nothing to warn of.
    if (enqueued.length === 0 && endpointIds.length === 0) return;
    try {
      await delivery.enqueue(endpointIds.map((endpointId) => ({ merchantId, endpointId })));
      await evaluation.enqueue(enqueued);
    } catch (error) {
      log.warn('jobs could not be added; the sweepers add them', { merchantId, error });
    }
  };
}
