import { connectProducer, disconnect, openQueues } from '@rewardhook/pipeline';
import type { Stage } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { openCleanup } from './cleanup.ts';
import { testLog as log } from './test-log.ts';

/** Reads the queues of all stages. */
export interface QueueCounts {
  /** The number of waiting, active and delayed jobs of a stage. */
  pending(stage: Stage): Promise<number>;
  /** The number of jobs of a stage in any state. Finished jobs count as long as BullMQ keeps them. */
  ever(stage: Stage): Promise<number>;
  /** The data of the waiting jobs of a stage, oldest first. */
  waiting(stage: Stage): Promise<unknown[]>;
  /** Resolves when no stage has a job. One pass suffices: a stage adds the job of the next before its own job ends. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a connection of its own to the queues. */
export function openQueueCounts(redisUrl: string, prefix: string): QueueCounts {
  const cleanup = openCleanup();
  const redis = connectProducer(redisUrl, log);
  cleanup.add(() => disconnect(redis));
  const queues = openQueues(redis, prefix);
  for (const queue of queues) cleanup.add(() => queue.close());
  const of = (stage: Stage) => queues.find(({ name }) => name === stage) ?? fail(stage);
  const sum = (counts: Record<string, number>) => Object.values(counts).reduce((a, b) => a + b, 0);
  const pending = async (stage: Stage) =>
    sum(await of(stage).getJobCounts('waiting', 'active', 'delayed', 'prioritized'));
  return {
    pending,
    ever: async (stage) => sum(await of(stage).getJobCounts()),
    waiting: async (stage) =>
      (await of(stage).getJobs(['waiting'], 0, -1, true)).map(({ data }) => data as unknown),
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

function fail(stage: string): never {
  throw new Error(`there is no queue ${stage}`);
}
