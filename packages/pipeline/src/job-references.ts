import type { Job, Queue } from 'bullmq';
import { openQueues } from './queues.ts';
import type { Redis } from './redis.ts';
import { readShards } from './shards.ts';
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

/** Jobs that are read at a time: those of `sync` can have megabytes. */
const pageSize = 20;

/** Lists the rows that the unfinished jobs of all queues refer to, of about `limit` jobs of each stage. */
export async function listJobReferences(redis: Redis, prefix: string, limit: number): Promise<JobReferences> {
  const shards = await readShards(redis, prefix);
  let more = false;
  /** Selects what is needed of each job, so that the orders are not kept in memory. */
  const read = async <S extends Stage, T>(stage: S, select: (job: Jobs[S]) => T): Promise<T[]> => {
    const selected: T[] = [];
    const queues = openQueues(redis, prefix, shards, [stage]);
    try {
      for (const queue of queues)
        for await (const jobs of pagesOf(queue)) {
          // A job that ends meanwhile is missing. One that is damaged refers to nothing: `doctor` lists it when it is parked.
          for (const job of jobs)
            if (typeof job?.data.merchantId === 'string') selected.push(select(job.data));
          if (selected.length < limit) continue;
          more = true;
          return selected;
        }
    } finally {
      await Promise.all(queues.map((queue) => queue.close()));
    }
    return selected;
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

async function* pagesOf(queue: Queue): AsyncGenerator<(Job | undefined)[]> {
  for (const state of states)
    for (let start = 0; ; start += pageSize) {
      const jobs = await queue.getJobs([state], start, start + pageSize - 1, true);
      yield jobs;
      if (jobs.length < pageSize) break;
    }
}
