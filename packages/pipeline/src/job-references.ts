import { withQueues } from './queues.ts';
import { readJobs } from './read-jobs.ts';
import type { Redis } from './redis.ts';
import type { Jobs, Stage } from './stages.ts';

/** The rows that unfinished jobs refer to. */
export interface JobReferences {
  /** Accepted requests that are not stored yet, by merchant. */
  requests: Map<string, number>;
  batches: { merchantId: string; batchId: string }[];
  endpoints: { merchantId: string; endpointId: string }[];
  /** Whether a queue has more jobs than were read. */
  more: boolean;
}

const states = ['waiting', 'active', 'delayed', 'prioritized', 'failed'] as const;

/** Lists the rows that the unfinished jobs of all queues refer to, of about `limit` jobs of each stage. */
export async function listJobReferences(redis: Redis, prefix: string, limit: number): Promise<JobReferences> {
  let more = false;
  /** Selects what is needed of each job, so that the orders are not kept in memory. */
  const read = async <S extends Stage, T>(stage: S, select: (job: Jobs[S]) => T): Promise<T[]> => {
    const lists = await withQueues(stage, redis, prefix, async (queue) => {
      const selected: T[] = [];
      const ids = await queue.getRanges([...states], 0, limit - 1, true);
      // A job that is damaged refers to nothing: `doctor` lists it when it is parked.
      for await (const { job } of readJobs(queue, ids))
        if (typeof (job?.data as Partial<Jobs[S]> | undefined)?.merchantId === 'string')
          selected.push(select(job?.data as Jobs[S]));
      more ||= ids.length >= limit;
      return selected;
    });
    return lists.flat();
  };
  const requests = new Map<string, number>();
  for (const merchantId of await read('sync', (job) => job.merchantId))
    requests.set(merchantId, (requests.get(merchantId) ?? 0) + 1);
  const batches = await read('reward-evaluation', ({ merchantId, batchId }) => ({ merchantId, batchId }));
  const endpoints = await read('webhook-delivery', ({ merchantId, endpointId }) => ({
    merchantId,
    endpointId,
  }));
  return { requests, batches, endpoints, more };
}
