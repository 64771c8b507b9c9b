import { connectWorker, disconnect, openQueues, parseOrders } from '@rewardhook/pipeline';
import type { Jobs, Stage } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { openCleanup } from './cleanup.ts';
import { testLog as log } from './test-log.ts';

/** Reads the queues of all stages. */
export interface QueueCounts {
  /** The number of unfinished jobs of a stage. */
  pending(stage: Stage): Promise<number>;
  /** The number of jobs of a stage in any state. Finished jobs count as long as BullMQ keeps them. */
  ever(stage: Stage): Promise<number>;
  /** The data of the waiting jobs of a stage, the next one to run first. Orders are parsed. */
  waiting(stage: Stage): Promise<unknown[]>;
  /** Resolves when no stage has a job. One pass suffices: a stage adds the job of the next before its own job ends. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a connection of its own to the queues. */
export function openQueueCounts(redisUrl: string, prefix: string, shards = 1): QueueCounts {
  const cleanup = openCleanup();
  const redis = connectWorker(redisUrl, log);
  cleanup.add(() => disconnect(redis));
  const queues = openQueues(redis, prefix, shards);
  for (const queue of queues) cleanup.add(() => queue.close());
  const of = (stage: Stage) => queues.filter(({ name }) => name === stage);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
  type Counted = Parameters<(typeof queues)[number]['getJobCounts']>;
  const count = async (stage: Stage, ...states: Counted) => {
    const counts = await Promise.all(of(stage).map((queue) => queue.getJobCounts(...states)));
    return counts.reduce((total, ofShard) => total + sum(ofShard), 0);
  };
  const pending = (stage: Stage) => count(stage, 'waiting', 'active', 'delayed', 'prioritized');
  return {
    pending,
    ever: (stage) => count(stage),
    waiting: async (stage) => {
      const jobs = await Promise.all(
        of(stage).map((queue) => queue.getJobs(['waiting', 'prioritized'], 0, -1, true)),
      );
      const data = jobs.flat().map((job) => job.data as unknown);
      return stage === 'sync'
        ? (data as Jobs['sync'][]).map((payload) => ({ ...payload, orders: parseOrders(payload) }))
        : data;
    },
    async settled() {
      await waitFor(
        async () => {
          for (const { name } of queues) if ((await pending(name as Stage)) > 0) return false;
          return true;
        },
        { everyMs: 10, deadlineMs: 15_000, what: 'empty queues' },
      );
    },
    close: () => cleanup.run(),
  };
}
