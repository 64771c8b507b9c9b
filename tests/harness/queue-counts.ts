import { connectProducer, disconnect, openQueues } from '@rewardhook/pipeline';
import type { Stage } from '@rewardhook/pipeline';
import { waitFor } from '@rewardhook/testing';
import { openCleanup } from './cleanup.ts';
import { testLog as log } from './test-log.ts';

/** A look into the queues from outside. */
export interface QueueCounts {
  /** Jobs of a stage that wait, run or are delayed. */
  pending(stage: Stage): Promise<number>;
  /** Jobs of a stage, in whatever state: all that were ever queued, as long as they are kept. */
  ever(stage: Stage): Promise<number>;
  /** The data of the jobs of a stage that wait, oldest first. */
  waiting(stage: Stage): Promise<unknown[]>;
  /** Resolves when no stage has anything to do. A stage queues the next before its own job ends, so one pass tells. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the look on a connection of its own. */
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
        { everyMs: 10, deadlineMs: 15_000, what: 'the end of all work' },
      );
    },
    close: () => cleanup.run(),
  };
}

function fail(stage: string): never {
  throw new Error(`there is no queue ${stage}`);
}
