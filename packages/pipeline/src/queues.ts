import { Queue } from 'bullmq';
import type { JobsOptions } from 'bullmq';
import type { Redis } from './redis.ts';
import { keepEvents, stageNames, stages } from './stages.ts';
import type { Jobs, Stage } from './stages.ts';

/**
 * Opens the queue of a stage. Its job options come from the catalog, which bounds what a queue keeps besides the jobs
 * that are still to be done: finished jobs by number, the traces of a failed one to the last, events by number.
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
  // The connection reports its own errors; without a listener each would be thrown.
  queue.on('error', () => undefined);
  return queue;
}

/** Opens the queues of all stages, in the order of the flow. */
export function openQueues(redis: Redis, prefix: string): Queue[] {
  return stageNames.map((stage) => openQueue(stage, redis, prefix) as Queue);
}

/** The options of one job: its de-duplication, where the stage has one. */
export function jobOptions<S extends Stage>(stage: S, job: Jobs[S]): JobsOptions {
  const { dedupeBy } = stages[stage];
  return dedupeBy ? { deduplication: { id: dedupeBy(job), keepLastIfActive: true } } : {};
}
