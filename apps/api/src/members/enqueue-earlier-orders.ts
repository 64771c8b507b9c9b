import { enqueueOrdersOfReferral } from '@rewardhook/database';
import type { Database, Referral } from '@rewardhook/database';
import type { Producer } from '@rewardhook/pipeline';
import type { Logger } from '@rewardhook/process';

/** Has the referee's orders that came before the link judged again. */
export type EnqueueEarlierOrders = (merchantId: string, referral: Referral) => Promise<void>;

/** The marks in the database count; a job that cannot be queued now is queued by the sweeper. */
export function openEarlierOrders(
  database: Database,
  evaluation: Producer<'reward-evaluation'>,
  log: Logger,
): EnqueueEarlierOrders {
  return async (merchantId, referral) => {
    const marked = await enqueueOrdersOfReferral(database, merchantId, referral);
    await evaluation
      .enqueue(marked)
      .catch((error: unknown) => log.warn('judgements are left to the sweeper', { merchantId, error }));
  };
}
