import { claimFailingBatch, isTransient, splitOrPark } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { Jobs } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import { messageOf } from './evaluate-batch.ts';

/** Batches per run. The rest of the process's time is for orders that do not fail. */
const maxBatches = 10;

/**
 * Returns the function that evaluates batches which failed repeatedly, one at a time and without jobs. A batch that
 * fails again is split in halves, and an order that fails alone is parked: the other orders of the batch get their
 * decisions (docs/decisions/012).
 */
export function failureIsolator(options: {
  database: Database;
  evaluate(batch: Jobs['reward-evaluation']): Promise<unknown>;
  log: Logger;
}): () => Promise<void> {
  const { database, evaluate, log } = options;

  return async () => {
    for (let claimed = 0; claimed < maxBatches; claimed += 1) {
      const batch = await claimFailingBatch(database);
      if (!batch) return;
      try {
        await evaluate(batch);
      } catch (error) {
        // The batch can be claimed again after half a minute.
        if (isTransient(error)) throw error;
        const parked = await splitOrPark(database, batch, messageOf(error));
        if (parked)
          log.warn('the evaluation of an order failed repeatedly; the order is parked', { ...batch, error });
      }
    }
  };
}
