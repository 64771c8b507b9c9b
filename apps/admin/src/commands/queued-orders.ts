import type { Jobs, openQueues } from '@rewardhook/pipeline';

type SyncQueue = ReturnType<typeof openQueues>[number];
type JobState = NonNullable<Parameters<SyncQueue['getJobs']>[0]>;

interface Owner {
  merchantId: string;
  memberId: string;
}

/** Jobs read at a time: one may hold the orders of a whole request. */
const pageSize = 50;

/** Orders of a member that are accepted and not stored yet. */
export async function countQueuedOrders(sync: SyncQueue, owner: Owner): Promise<number> {
  let count = 0;
  for (const state of ['waiting', 'prioritized', 'delayed', 'active'] as const)
    for await (const { data } of jobsOf(sync, state))
      if (data.merchantId === owner.merchantId)
        count += data.orders.filter(({ member_id }) => member_id === owner.memberId).length;
  return count;
}

/**
 * Removes the `sync` jobs that are kept for a look and may hold orders of a member: all completed ones, which nobody
 * needs. Of failed ones, which may be tried again, only his orders go. Returns how many jobs were touched.
 */
export async function forgetFinishedOrders(sync: SyncQueue, owner: Owner): Promise<number> {
  const cleaned = await sync.clean(0, 0, 'completed');
  const touched = [];
  for await (const { job, data } of jobsOf(sync, 'failed')) {
    const others = data.orders.filter(({ member_id }) => member_id !== owner.memberId);
    if (data.merchantId === owner.merchantId && others.length < data.orders.length)
      touched.push({ job, rest: { ...data, orders: others } });
  }
  // After the look through all of them: removing one moves the others up.
  for (const { job, rest } of touched) await (rest.orders.length === 0 ? job.remove() : job.updateData(rest));
  return cleaned.length + touched.length;
}

async function* jobsOf(sync: SyncQueue, state: JobState) {
  for (let start = 0; ; start += pageSize) {
    const jobs = await sync.getJobs(state, start, start + pageSize - 1, true);
    // A job may be gone by the time that it is read.
    for (const job of jobs) if (job) yield { job, data: job.data as Jobs['sync'] };
    if (jobs.length < pageSize) return;
  }
}
