import { enqueueOrdersOfReferral } from '@rewardhook/database';
import type { Database, Referral } from '@rewardhook/database';
import type { Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** Enqueues the referee's orders from before the link for evaluation. */
export type EnqueueEarlierOrders = (merchantId: string, referral: Referral) => Promise<void>;

/** Stores the orders as due batches, and adds the jobs for them. */
export function enqueueEarlierOrders(
  database: Database,
  evaluation: Producer<'reward-evaluation'>,
  log: Logger,
): EnqueueEarlierOrders {
  return async (merchantId, referral) => {
    const batches = await enqueueOrdersOfReferral(database, merchantId, referral);
    // The batches are stored: when a job cannot be added now, the sweeper adds it.
    await evaluation
      .enqueue(batches)
      .catch((error: unknown) =>
        log.warn('jobs could not be added; the sweeper will add them', { merchantId, error }),
      );
  };
}
