import { openQueue, jobOptions } from './queues.ts';
import type { Redis } from './redis.ts';
import type { Jobs, Stage } from './stages.ts';

/** Puts jobs on the queue of one stage. */
export interface Producer<S extends Stage> {
  /**
   * Queues hints. Losing one is harmless: the sweeper of the stage finds what is due.
   * @throws when Redis is away
   */
  enqueue(jobs: Jobs[S][]): Promise<void>;
  close(): Promise<void>;
}

/** Opens a producer for the stage that comes next. */
export function openProducer<S extends Stage>(stage: S, redis: Redis, prefix: string): Producer<S> {
  const queue = openQueue(stage, redis, prefix);
  return {
    async enqueue(jobs) {
      if (jobs.length === 0) return;
      const entries = jobs.map((data) => ({ name: stage, data, opts: jobOptions(stage, data) }));
      await queue.addBulk(entries as unknown as Parameters<typeof queue.addBulk>[0]);
    },
    close: () => queue.close(),
  };
}
