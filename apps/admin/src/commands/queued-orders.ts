import { ordersOfPayload, replaceOrders, UnreadableJob } from '@rewardhook/pipeline';
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

/** What was found in the jobs of a member's merchant. */
interface QueuedOrders {
  /** The number of orders of the member. */
  orders: number;
  /** Ids of jobs of the merchant that cannot be read: they may contain orders of the member. */
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

/** What was done with the finished jobs of a member's merchant. */
interface RemovedOrders extends Pick<QueuedOrders, 'unreadable'> {
  /** The number of completed jobs that were removed. */
  completed: number;
  /** The number of failed jobs that contained orders of the member. */
  failed: number;
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
 * Reads the jobs of the merchant in these states, with their orders, undefined when they cannot be read. The ids of jobs are read at
 * once, so that no job is missed when workers move some.
 */
async function* jobsOf(sync: SyncQueues, { merchantId }: Owner, states: JobStates) {
  for (const queue of sync) {
    const ids = await queue.getRanges(states, 0, -1);
    for (let start = 0; start < ids.length; start += pageSize) {
      const jobs = await Promise.all(ids.slice(start, start + pageSize).map((id) => queue.getJob(id)));
      for (const job of jobs) {
        const data = job?.data as OrdersPayload | undefined;
        // A job may be removed before it is read.
        if (job && data?.merchantId === merchantId)
          yield { id: String(job.id), job, data, orders: readOrders(data) };
      }
    }
  }
}

function readOrders(data: OrdersPayload): Order[] | undefined {
  try {
    return ordersOfPayload(data);
  } catch (error) {
    if (error instanceof UnreadableJob) return undefined;
    throw error;
  }
}
