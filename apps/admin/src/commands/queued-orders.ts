import { NewerJob, ordersOfPayload, replaceOrders, UnreadableJob } from '@rewardhook/pipeline';
import type { OrdersPayload, openQueues } from '@rewardhook/pipeline';

type SyncQueues = ReturnType<typeof openQueues>;
type Order = ReturnType<typeof ordersOfPayload>[number];
type JobStates = Parameters<SyncQueues[number]['getRanges']>[0];

interface Owner {
  merchantId: string;
  memberId: string;
}

/** Jobs per read. A job may contain all orders of a request. */
const pageSize = 50;

/** Orders of a member that were accepted and are not stored yet. */
interface QueuedOrders {
  /** The number of these orders in the jobs that can be read. */
  orders: number;
  /** Ids of the jobs that may contain some, and cannot be read. */
  unreadable: string[];
}

/** Counts the orders of a member that were accepted and are not stored yet. */
export async function countQueuedOrders(sync: SyncQueues, owner: Owner): Promise<QueuedOrders> {
  const found: QueuedOrders = { orders: 0, unreadable: [] };
  for await (const { id, orders } of jobsOf(sync, owner, ['waiting', 'prioritized', 'delayed', 'active']))
    if (orders) found.orders += orders.filter(({ member_id }) => member_id === owner.memberId).length;
    else found.unreadable.push(id);
  return found;
}

/** What was done with the finished jobs. */
interface RemovedOrders {
  /** The number of completed jobs that were removed. */
  completed: number;
  /** The number of failed jobs from which orders of the member were removed. */
  failed: number;
  /** Ids of the failed jobs that may contain orders of the member, and cannot be read. */
  unreadable: string[];
}

/**
 * Removes the orders of a member from finished `sync` jobs. Completed jobs are only kept for inspection: all of them are
 * removed. Failed jobs may be retried: only the member's orders are removed from them.
 */
export async function removeFinishedOrders(sync: SyncQueues, owner: Owner): Promise<RemovedOrders> {
  const cleaned = await Promise.all(sync.map((queue) => queue.clean(0, 0, 'completed')));
  const touched = [];
  const unreadable = [];
  for await (const { id, job, data, orders } of jobsOf(sync, owner, ['failed'])) {
    const others = orders?.filter(({ member_id }) => member_id !== owner.memberId);
    if (!orders || !others) unreadable.push(id);
    else if (others.length < orders.length) touched.push({ job, others, rest: replaceOrders(data, others) });
  }
  // Jobs change after all were read, because removing one shifts the positions of the others.
  for (const { job, others, rest } of touched)
    await (others.length === 0 ? job.remove() : job.updateData(rest));
  return { completed: cleaned.flat().length, failed: touched.length, unreadable };
}

/**
 * Reads the jobs of a merchant in these states, and those whose merchant cannot be read. `orders` is undefined when they cannot
 * be read. The ids of all jobs are read at once, so that no job is missed when workers move some.
 */
async function* jobsOf(sync: SyncQueues, { merchantId }: Owner, states: JobStates) {
  for (const queue of sync) {
    const ids = await queue.getRanges(states, 0, -1);
    for (let start = 0; start < ids.length; start += pageSize) {
      const jobs = await Promise.all(ids.slice(start, start + pageSize).map((id) => queue.getJob(id)));
      for (const job of jobs) {
        // A job may be removed before it is read.
        if (!job) continue;
        const data = job.data as OrdersPayload;
        const hasMerchant = typeof data.merchantId === 'string';
        if (hasMerchant && data.merchantId !== merchantId) continue;
        yield { id: String(job.id), job, data, orders: hasMerchant ? readOrders(data) : undefined };
      }
    }
  }
}

function readOrders(data: OrdersPayload): Order[] | undefined {
  try {
    return ordersOfPayload(data);
  } catch (error) {
    if (error instanceof UnreadableJob || error instanceof NewerJob) return undefined;
    throw error;
  }
}
