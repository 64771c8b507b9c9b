import { Queue } from 'bullmq';
import type { JobsOptions } from 'bullmq';
import { openFairPriorities } from './fair-priorities.ts';
import { toPayload } from './job-payload.ts';
import type { Payload } from './job-payload.ts';
import type { Redis } from './redis.ts';
import { prefixesOfShards, readShards, shardOf } from './shards.ts';
import { housekeepingQueue, keepEvents, stageNames, stages } from './stages.ts';
import type { HintStage, Jobs, Stage } from './stages.ts';

/**
 * Opens the queue of a stage. Its job options come from the stage catalog, which limits what a queue keeps besides
 * unfinished jobs: the number of finished jobs and of events, and the stack of a failed job.
 */
export function openQueue<S extends Stage>(stage: S, redis: Redis, prefix: string): Queue<Payload<S>> {
  const { attempts, keepCompleted, keepFailed } = stages[stage];
  return openBullQueue(stage, redis, prefix, {
    attempts,
    backoff: { type: 'custom' },
    removeOnComplete: { count: keepCompleted },
    removeOnFail: keepFailed === 'all' ? false : { count: keepFailed },
  }) as Queue<Payload<S>>;
}

function openBullQueue(name: string, redis: Redis, prefix: string, options: JobsOptions): Queue {
  const queue = new Queue(name, {
    connection: redis,
    prefix,
    skipVersionCheck: true,
    streams: { events: { maxLen: keepEvents } },
    defaultJobOptions: { ...options, stackTraceLimit: 1 },
  });
  // The connection reports its own errors. Without a listener each of them would be thrown.
  queue.on('error', () => undefined);
  return queue;
}

/**
 * Opens the queues of all stages to inspect their jobs, in the order of the data flow; those of a stage in the order of
 * the shards. The name of a queue is that of its stage.
 */
export function openQueues(redis: Redis, prefix: string, shards = 1, of = stageNames): Queue[] {
  return of.flatMap((stage) =>
    prefixesOfShards(prefix, shards).map((ofShard) => openQueue(stage, redis, ofShard) as Queue),
  );
}

/** Finished runs of the housekeeping tasks that the dashboard shows. */
const keepRuns = 100;

/** Opens the queue of the housekeeping tasks. It is one queue, in the first shard. The next run of a task is its retry. */
export function openHousekeepingQueue(redis: Redis, prefix: string): Queue {
  return openBullQueue(housekeepingQueue, redis, prefix, {
    attempts: 1,
    removeOnComplete: { count: keepRuns },
    removeOnFail: { count: keepRuns },
  });
}

/** Runs `use` for each queue of a stage, also those of shards that are no longer used. @throws when Redis is unavailable */
export async function withQueues<T>(
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

/** Adds hints to the queue of one stage. */
export interface Producer<S extends HintStage> {
  /**
   * Enqueues jobs. If a job is lost, the sweeper of the stage finds the work that has no job.
   * @throws when Redis is unavailable
   */
  enqueue(jobs: Jobs[S][]): Promise<void>;
  /**
   * The same for jobs that may be in the queue already, for sweepers: they take nothing from their merchant's share.
   * @throws when Redis is unavailable
   */
  enqueueAgain(jobs: Jobs[S][]): Promise<void>;
  /**
   * Returns the jobs that the queue does not have: they neither wait, nor run, nor wait for a retry.
   * @throws when Redis is unavailable
   */
  findMissing(jobs: Jobs[S][]): Promise<Jobs[S][]>;
  close(): Promise<void>;
}

/** Opens a producer for the queues of a stage. `check` throws while the queues must not be used. A job goes to the shard of its merchant. */
export function openProducer<S extends HintStage>(
  stage: S,
  redis: Redis,
  prefix: string,
  { shards = 1, check = () => undefined }: { shards?: number; check?: () => void } = {},
): Producer<S> {
  const queues = prefixesOfShards(prefix, shards).map((ofShard, shard) => {
    const queue = openQueue(stage, redis, ofShard);
    return {
      queue,
      takes: (job: Jobs[S]) => shardOf(job.merchantId, shards) === shard,
      priorities: stages[stage].ordersOf && openFairPriorities(redis, queue),
    };
  });
  const enqueue = async (jobs: Jobs[S][], again: boolean) => {
    check();
    await Promise.all(
      queues.map(async (target) => {
        const ofQueue = jobs.filter(target.takes);
        if (ofQueue.length > 0) await addJobs(target, ofQueue, again);
      }),
    );
  };
  const addJobs = async ({ queue, priorities }: (typeof queues)[number], jobs: Jobs[S][], again: boolean) => {
    const { ordersOf = () => 0 } = stages[stage];
    const shares = jobs.map((job) => ({ merchantId: job.merchantId, weight: ordersOf(job) }));
    const assigned = await (again ? priorities?.assignAgain(shares) : priorities?.assign(shares));
    const bulk = jobs.map((job, index) => ({
      name: stage,
      data: toPayload(job),
      opts: { ...deduplication(stage, job), ...priorityOf(assigned?.[index]) },
    }));
    await queue.addBulk(bulk as unknown as Parameters<typeof queue.addBulk>[0]);
  };
  const findMissing = async (jobs: Jobs[S][]) => {
    check();
    const { dedupeBy } = stages[stage];
    const missing = await Promise.all(
      queues.map(async ({ queue, takes }) => {
        const ofQueue = jobs.filter(takes);
        if (!dedupeBy || ofQueue.length === 0) return [];
        const jobIds = await Promise.all(ofQueue.map((job) => queue.getDeduplicationJobId(dedupeBy(job))));
        return ofQueue.filter((_job, index) => jobIds[index] === null);
      }),
    );
    return missing.flat();
  };
  return {
    enqueue: (jobs) => enqueue(jobs, false),
    enqueueAgain: (jobs) => enqueue(jobs, true),
    findMissing,
    close: async () => void (await Promise.all(queues.map(({ queue }) => queue.close()))),
  };
}

/** The options of one job that deduplicate it, where the stage has that. */
function deduplication<S extends HintStage>(stage: S, job: Jobs[S]): JobsOptions {
  const { dedupeBy } = stages[stage];
  return dedupeBy ? { deduplication: { id: dedupeBy(job), keepLastIfActive: true } } : {};
}

function priorityOf(assigned: number | Error | undefined): JobsOptions {
  if (assigned instanceof Error) throw assigned;
  return assigned === undefined ? {} : { priority: assigned };
}
