import { ordersOfPayload, replaceOrders } from '@rewardhook/pipeline';
import type { OrdersPayload, openQueues } from '@rewardhook/pipeline';

type SyncQueues = ReturnType<typeof openQueues>;
type JobStates = Parameters<SyncQueues[number]['getRanges']>[0];

interface Owner {
  merchantId: string;
  memberId: string;
}

/** Jobs per read. A job may contain all orders of a request. */
const pageSize = 50;

/** Counts the orders of a member that were accepted and are not stored yet. */
export async function countQueuedOrders(sync: SyncQueues, owner: Owner): Promise<number> {
  let count = 0;
  for await (const { data } of jobsOf(sync, ['waiting', 'prioritized', 'delayed', 'active']))
    if (data.merchantId === owner.merchantId)
      count += ordersOfPayload(data).filter(({ member_id }) => member_id === owner.memberId).length;
  return count;
}

/**
 * Removes the orders of a member from finished `sync` jobs. Completed jobs are only kept for inspection: all of them are
 * removed. Failed jobs may be retried: only the member's orders are removed from them. Returns the number of completed
 * jobs that were removed and of failed jobs that contained orders of the member.
 */
export async function removeFinishedOrders(
  sync: SyncQueues,
  owner: Owner,
): Promise<{ completed: number; failed: number }> {
  const cleaned = await Promise.all(sync.map((queue) => queue.clean(0, 0, 'completed')));
  const touched = [];
  for await (const { job, data } of jobsOf(sync, ['failed'])) {
    if (data.merchantId !== owner.merchantId) continue;
    const orders = ordersOfPayload(data);
    const others = orders.filter(({ member_id }) => member_id !== owner.memberId);
    if (others.length < orders.length) touched.push({ job, others, rest: replaceOrders(data, others) });
  }
  // Jobs change after all were read, because removing one shifts the positions of the others.
  for (const { job, others, rest } of touched)
    await (others.length === 0 ? job.remove() : job.updateData(rest));
  return { completed: cleaned.flat().length, failed: touched.length };
}

/** Reads the jobs in these states. Their ids are read at once, so that no job is missed when workers move some. */
async function* jobsOf(sync: SyncQueues, states: JobStates) {
  for (const queue of sync) {
    const ids = await queue.getRanges(states, 0, -1);
    for (let start = 0; start < ids.length; start += pageSize) {
      const jobs = await Promise.all(ids.slice(start, start + pageSize).map((id) => queue.getJob(id)));
      // A job may be removed before it is read.
      for (const job of jobs) if (job) yield { job, data: job.data as OrdersPayload };
    }
  }
}
