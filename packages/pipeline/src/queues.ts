import { Queue } from 'bullmq';
import type { JobsOptions } from 'bullmq';
import { toPayload } from './job-payload.ts';
import type { Redis } from './redis.ts';
import { keepEvents, stageNames, stages } from './stages.ts';
import type { Jobs, Stage } from './stages.ts';

/**
 * Opens the queue of a stage. Its job options come from the stage catalog, which limits what a queue keeps besides
 * unfinished jobs: the number of finished jobs and of events, and the stack of a failed job.
 */
export function openQueue<S extends Stage>(stage: S, redis: Redis, prefix: string): Queue<Jobs[S]> {
  const { attempts, keepCompleted, keepFailed } = stages[stage];
  const queue = new Queue<Jobs[S]>(stage, {
    connection: redis,
    prefix,
    skipVersionCheck: true,
    streams: { events: { maxLen: keepEvents } },
    defaultJobOptions: {
      attempts,
      backoff: { type: 'custom' },
      removeOnComplete: { count: keepCompleted },
      removeOnFail: keepFailed === 'all' ? false : { count: keepFailed },
      stackTraceLimit: 1,
    },
  });
  // The connection reports its own errors. Without a listener each of them would be thrown.
  queue.on('error', () => undefined);
  return queue;
}

/** Opens the queues of all stages, in the order of the data flow. */
export function openQueues(redis: Redis, prefix: string): Queue[] {
  return stageNames.map((stage) => openQueue(stage, redis, prefix) as Queue);
}

/** Adds jobs to the queue of one stage. */
export interface Producer<S extends Stage> {
  /**
   * Enqueues jobs. If a job is lost, the sweeper of the stage finds the work that has no job.
   * @throws when Redis is unavailable
   */
  enqueue(jobs: Jobs[S][]): Promise<void>;
  close(): Promise<void>;
}

/** Opens a producer for the queue of a stage. */
export function openProducer<S extends Stage>(stage: S, redis: Redis, prefix: string): Producer<S> {
  const queue = openQueue(stage, redis, prefix);
  return {
    async enqueue(jobs) {
      if (jobs.length === 0) return;
      const entries = jobs.map((job) => ({
        name: stage,
        data: toPayload<S>(job),
        opts: jobOptions(stage, job),
      }));
      await queue.addBulk(entries as unknown as Parameters<typeof queue.addBulk>[0]);
    },
    close: () => queue.close(),
  };
}

/** The options of one job: its deduplication, where the stage has one. */
function jobOptions<S extends Stage>(stage: S, job: Jobs[S]): JobsOptions {
  const { dedupeBy } = stages[stage];
  return dedupeBy ? { deduplication: { id: dedupeBy(job), keepLastIfActive: true } } : {};
}
