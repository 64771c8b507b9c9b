import type { Jobs, openQueues } from '@rewardhook/pipeline';

type SyncQueue = ReturnType<typeof openQueues>[number];
type JobStates = Parameters<SyncQueue['getRanges']>[0];

interface Owner {
  merchantId: string;
  memberId: string;
}

/** Jobs read at a time: one may hold the orders of a whole request. */
const pageSize = 50;

/** Orders of a member that are accepted and not stored yet. */
export async function countQueuedOrders(sync: SyncQueue, owner: Owner): Promise<number> {
  let count = 0;
  for await (const { data } of jobsOf(sync, ['waiting', 'prioritized', 'delayed', 'active']))
    if (data.merchantId === owner.merchantId)
      count += data.orders.filter(({ member_id }) => member_id === owner.memberId).length;
  return count;
}

/**
 * Removes the `sync` jobs that are kept for a look and may hold orders of a member: all completed ones, which nobody
 * needs. Of failed ones, which may be tried again, only theirs go. Returns how many completed jobs went, and how many
 * failed ones held orders of the member.
 */
export async function forgetFinishedOrders(
  sync: SyncQueue,
  owner: Owner,
): Promise<{ completed: number; failed: number }> {
  const cleaned = await sync.clean(0, 0, 'completed');
  const touched = [];
  for await (const { job, data } of jobsOf(sync, ['failed'])) {
    const others = data.orders.filter(({ member_id }) => member_id !== owner.memberId);
    if (data.merchantId === owner.merchantId && others.length < data.orders.length)
      touched.push({ job, rest: { ...data, orders: others } });
  }
  // After the look through all of them: removing one moves the others up.
  for (const { job, rest } of touched) await (rest.orders.length === 0 ? job.remove() : job.updateData(rest));
  return { completed: cleaned.length, failed: touched.length };
}

/** Which they are is read at one moment: what workers do meanwhile makes none be missed. */
async function* jobsOf(sync: SyncQueue, states: JobStates) {
  const ids = await sync.getRanges(states, 0, -1);
  for (let start = 0; start < ids.length; start += pageSize) {
    const jobs = await Promise.all(ids.slice(start, start + pageSize).map((id) => sync.getJob(id)));
    // A job may be gone by the time that it is read.
    for (const job of jobs) if (job) yield { job, data: job.data as Jobs['sync'] };
  }
}
