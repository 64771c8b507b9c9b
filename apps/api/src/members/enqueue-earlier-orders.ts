import { enqueueOrdersOfReferral } from '@rewardhook/database';
import type { Database, Referral } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';

/** Enqueues the referee's orders from before the link for evaluation: stores them as due batches, and adds the jobs for them. */
export async function enqueueEarlierOrders(
  database: Database,
  enqueueDue: EnqueueDue,
  merchantId: string,
  referral: Referral,
): Promise<void> {
  const enqueued = await enqueueOrdersOfReferral(database, merchantId, referral);
  await enqueueDue(merchantId, { enqueued, endpointIds: [] });
}
