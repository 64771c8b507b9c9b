import type { Queue } from 'bullmq';
import { OtherFormat, parseOrders, readPayload, UnreadableJob } from './job-payload.ts';
import { withQueues } from './queues.ts';
import { readJob, readJobs } from './read-jobs.ts';
import type { InspectedJob } from './read-jobs.ts';
import type { Redis } from './redis.ts';
import { stageNames, stages } from './stages.ts';
import type { Stage } from './stages.ts';

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
      const ids = await queue.getRanges(['failed'], 0, limit - 1, true);
      const parked: ParkedJob[] = [];
      for await (const job of readJobs(queue, ids)) parked.push(await describe(name, queue, redis, job));
      return parked;
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
    const parked = await findParked(queue, id);
    await parked?.job?.retry('failed');
    return parked?.job ? 1 : 0;
  });
  return retried.reduce<number>((sum, count) => sum + count, 0);
}

/** The job was not removed: it has the only copy of accepted orders, which this or a newer release can read. */
export class ReadableOrders extends Error {}

/**
 * Removes the parked jobs with this id, with their orders; each queue of a stage may have one. Returns them, or none when there is
 * no parked job with this id. `force` also removes a job whose orders can be read. If the job is retried at the same moment, it may be
 * removed although it waits again. `dryRun` returns them and removes none.
 * @throws ReadableOrders when the orders of the job can be read; and when Redis is unavailable
 */
export async function removeParkedJobs(
  redis: Redis,
  prefix: string,
  { stage, id, force, dryRun = false }: { stage: Stage; id: string; force: boolean; dryRun?: boolean },
): Promise<ParkedJob[]> {
  const removed = await withQueues(stage, redis, prefix, async (queue) => {
    const parked = await findParked(queue, id);
    if (!parked) return [];
    if (!force && stages[stage].onlyCopy && hasReadableOrders(parked))
      throw new ReadableOrders('the orders of the job can be read');
    const described = await describe(stage, queue, redis, parked);
    if (!dryRun) await queue.remove(id);
    return [described];
  });
  return removed.flat();
}

function hasReadableOrders({ job }: InspectedJob): boolean {
  try {
    parseOrders(readPayload('sync', job?.data));
    return true;
  } catch (error) {
    if (error instanceof OtherFormat) return true;
    if (error instanceof UnreadableJob) return false;
    throw error;
  }
}

async function findParked(queue: Queue, id: string): Promise<InspectedJob | undefined> {
  return (await queue.getJobState(id)) === 'failed' ? readJob(queue, id) : undefined;
}

async function describe(
  stage: Stage,
  queue: Queue,
  redis: Redis,
  { id, job }: InspectedJob,
): Promise<ParkedJob> {
  // The fields of a job whose data is damaged, which BullMQ does not read.
  const [enqueued, parked] = job
    ? [job.timestamp, job.finishedOn]
    : (await redis.hmget(queue.toKey(id), 'timestamp', 'finishedOn')).map((time) => Number(time ?? 0));
  const { merchantId, count, orders } = (job?.data ?? {}) as Record<string, unknown>;
  const counted = count ?? orders;
  return {
    queue: stage,
    id,
    merchantId: typeof merchantId === 'string' ? merchantId : null,
    orders: typeof counted === 'number' ? counted : null,
    enqueuedAt: new Date(enqueued ?? 0).toISOString(),
    parkedAt: parked === undefined || parked === 0 ? null : new Date(parked).toISOString(),
    tries: job?.attemptsMade ?? 0,
    error: job ? (job.failedReason ?? '') : 'the data of the job is not JSON',
  };
}
