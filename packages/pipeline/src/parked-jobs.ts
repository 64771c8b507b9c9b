import type { Job, Queue } from 'bullmq';
import { NewerJob, ordersOfPayload, UnreadableJob } from './job-payload.ts';
import type { OrdersPayload } from './job-payload.ts';
import { openQueues } from './queues.ts';
import type { Redis } from './redis.ts';
import { readShards } from './shards.ts';
import { stageNames, stages } from './stages.ts';
import type { Jobs, Stage } from './stages.ts';

/** A job that failed repeatedly and is not retried until an operator does. Its orders are not part of it. */
export interface ParkedJob {
  queue: Stage;
  id: string;
  /** Null when it cannot be read from the job. */
  merchantId: string | null;
  /** Number of orders in the job or its batch; null for a job of an endpoint, and when it cannot be read. */
  orders: number | null;
  /** When the job was enqueued and when it was parked, ISO 8601 in UTC. */
  enqueuedAt: string;
  parkedAt: string | null;
  /** All tries so far, also those during outages. */
  tries: number;
  error: string;
}

/** Lists parked jobs, of one queue or of all, oldest first, at most `limit` of each. @throws when Redis is unavailable */
export async function listParkedJobs(
  redis: Redis,
  prefix: string,
  { stage, limit }: { stage?: Stage | undefined; limit: number },
): Promise<ParkedJob[]> {
  const lists = (stage ? [stage] : stageNames).map((name) =>
    withQueues(name, redis, prefix, async (queue) => {
      const jobs = await readParked(queue, limit);
      return jobs.map((job) => describe(name, job));
    }),
  );
  return (await Promise.all(lists)).flat(2);
}

/**
 * Retries parked jobs of a queue: one, or all. Each gets as many tries as before. Returns the number of jobs; 0 when the
 * one does not exist or is not parked. @throws when Redis is unavailable
 */
export async function retryParkedJobs(
  redis: Redis,
  prefix: string,
  { stage, id }: { stage: Stage; id?: string | undefined },
): Promise<number> {
  const retried = await withQueues(stage, redis, prefix, async (queue) => {
    if (id === undefined) {
      const count = await queue.getFailedCount();
      if (count > 0) await queue.retryJobs({ state: 'failed' });
      return count;
    }
    const job = await findParked(queue, id);
    if (!job) return 0;
    await job.retry('failed');
    return 1;
  });
  return retried.reduce<number>((sum, count) => sum + count, 0);
}

/** The job was not removed: it has the only copy of accepted orders, which this or a newer release can read. */
export class ReadableOrders extends Error {}

/**
 * Removes the parked jobs with this id, with their orders; each queue of a stage may have one. Returns them, or none when there is
 * no parked job with this id. `force` also removes a job whose orders can be read. If the job is retried at the same moment, it may be
 * removed although it waits again.
 * @throws ReadableOrders when the orders of the job can be read; and when Redis is unavailable
 */
export async function removeParkedJobs(
  redis: Redis,
  prefix: string,
  { stage, id, force }: { stage: Stage; id: string; force: boolean },
): Promise<ParkedJob[]> {
  const removed = await withQueues(stage, redis, prefix, async (queue) => {
    const job = await findParked(queue, id);
    if (!job) return [];
    if (!force && stages[stage].onlyCopy && hasReadableOrders(job))
      throw new ReadableOrders('the orders of the job can be read');
    await job.remove();
    return [describe(stage, withoutOrders(job))];
  });
  return removed.flat();
}

function hasReadableOrders({ data }: Job): boolean {
  try {
    ordersOfPayload(data as Partial<OrdersPayload>);
    return typeof (data as Partial<OrdersPayload>).merchantId === 'string';
  } catch (error) {
    if (error instanceof NewerJob) return true;
    if (error instanceof UnreadableJob) return false;
    throw error;
  }
}

async function findParked(queue: Queue, id: string): Promise<Job | undefined> {
  const job = await queue.getJob(id);
  return (await job?.isFailed()) ? job : undefined;
}

/** Jobs are read in small portions: a job of `sync` can contain megabytes. */
const pageSize = 10;

async function readParked(queue: Queue, limit: number): Promise<Job[]> {
  const ids = await queue.getRanges(['failed'], 0, limit - 1, true);
  const found: Job[] = [];
  for (let start = 0; start < ids.length; start += pageSize) {
    const jobs = await Promise.all(ids.slice(start, start + pageSize).map((id) => queue.getJob(id)));
    for (const job of jobs) if (job) found.push(withoutOrders(job));
  }
  return found;
}

/** Replaces the orders of a job by their number, so that a list does not hold them all in memory. */
function withoutOrders(job: Job): Job {
  const { orders, count, ...data } = job.data as Partial<OrdersPayload>;
  const counted = typeof orders === 'string' ? count : orders;
  job.data = { ...data, orders: Array.isArray(counted) ? counted.length : counted };
  return job;
}

function describe(queue: Stage, job: Job): ParkedJob {
  const { merchantId, orders } = job.data as Partial<Jobs['reward-evaluation']>;
  return {
    queue,
    id: String(job.id),
    merchantId: typeof merchantId === 'string' ? merchantId : null,
    orders: typeof orders === 'number' ? orders : null,
    enqueuedAt: new Date(job.timestamp).toISOString(),
    parkedAt: job.finishedOn === undefined ? null : new Date(job.finishedOn).toISOString(),
    tries: job.attemptsMade,
    error: job.failedReason ?? '',
  };
}

/** Runs `use` for each queue of a stage. */
async function withQueues<T>(
  stage: Stage,
  redis: Redis,
  prefix: string,
  use: (queue: Queue) => Promise<T>,
): Promise<T[]> {
  const queues = openQueues(redis, prefix, await readShards(redis, prefix), [stage]);
  try {
    return await Promise.all(queues.map(use));
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
  }
}
