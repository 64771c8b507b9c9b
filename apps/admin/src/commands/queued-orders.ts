import { parseOrders, readJobs, readPayload, toPayload, UnreadableJob } from '@rewardhook/pipeline';
import type { Jobs, openQueues } from '@rewardhook/pipeline';

type SyncQueues = ReturnType<typeof openQueues>;
type Order = ReturnType<typeof parseOrders>[number];
type JobStates = Parameters<SyncQueues[number]['getRanges']>[0];

interface Owner {
  merchantId: string;
  /** The member's id, and their aliases. */
  memberIds: string[];
}

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
  for await (const { id, read } of jobsOf(sync, owner, ['waiting', 'prioritized', 'delayed', 'active']))
    if (read)
      found.orders += read.orders.filter(({ member_id }) => owner.memberIds.includes(member_id)).length;
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
  const removed: RemovedOrders = { completed: cleaned.flat().length, failed: 0, unreadable: [] };
  for await (const { id, job, read } of jobsOf(sync, owner, ['failed'])) {
    if (!read) {
      removed.unreadable.push(id);
      continue;
    }
    const others = read.orders.filter(({ member_id }) => !owner.memberIds.includes(member_id));
    if (others.length === read.orders.length) continue;
    removed.failed += 1;
    const rest = { ...read.data, count: others.length, orders: JSON.stringify(others) };
    await (others.length === 0 ? job?.remove() : job?.updateData(toPayload<'sync'>(rest)));
  }
  return removed;
}

/**
 * Reads the jobs of a merchant in these states, and those whose merchant cannot be read. `read` is undefined when they cannot
 * be read. The ids of all jobs are read at once, so that no job is missed when some move or are removed.
 */
async function* jobsOf(sync: SyncQueues, { merchantId }: Owner, states: JobStates) {
  for (const queue of sync) {
    const ids = await queue.getRanges(states, 0, -1);
    for await (const { id, job } of readJobs(queue, ids)) {
      const owner = (job?.data as Partial<Jobs['sync']> | undefined)?.merchantId;
      if (typeof owner === 'string' && owner !== merchantId) continue;
      yield { id, job, read: readOrders(job?.data) };
    }
  }
}

function readOrders(payload: unknown): { data: Jobs['sync']; orders: Order[] } | undefined {
  try {
    const data = readPayload('sync', payload);
    return { data, orders: parseOrders(data) };
  } catch (error) {
    if (error instanceof UnreadableJob) return undefined;
    throw error;
  }
}
