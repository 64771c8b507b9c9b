import { isTransient, splitOrPark, claimFailingBatch } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { Jobs } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';
import { messageOf } from './evaluate-orders.ts';

/** Batches of one run at the most: the rest of the process's time is for orders that do not fail. */
const mostBatches = 10;

/**
 * Evaluates batches that failed repeatedly, one at a time and without jobs. One that fails again is split in halves,
 * and an order that fails on its own is parked: so orders that can be evaluated are, and the others stop failing.
 */
export function narrowDown(options: {
  database: Database;
  evaluate(batch: Jobs['reward-evaluation']): Promise<unknown>;
  log: Logger;
}): () => Promise<void> {
  const { database, evaluate, log } = options;

  return async () => {
    for (let taken = 0; taken < mostBatches; taken += 1) {
      const batch = await claimFailingBatch(database);
      if (!batch) return;
      try {
        await evaluate(batch);
      } catch (error) {
        // It is taken again in half a minute.
        if (isTransient(error)) throw error;
        const parked = await splitOrPark(database, batch, messageOf(error));
        if (parked)
          log.warn('the evaluation of an order failed repeatedly: it is parked', { ...batch, error });
      }
    }
  };
}
