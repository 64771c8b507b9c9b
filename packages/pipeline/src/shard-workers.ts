import { followShards, prefixesOfShards } from './shards.ts';
import type { Stage } from './stages.ts';
import { startWorker } from './worker.ts';
import type { RunningWorker, WorkerOptions } from './worker.ts';

/**
 * Starts handling the jobs of a stage in all its queues: one BullMQ worker for each. `concurrency` is divided among the
 * shards. Also takes the jobs of shards that only another process uses, and of those that were used before the number of
 * shards was reduced.
 */
export function startShardWorkers<S extends Stage>(
  options: WorkerOptions<S> & { shards: number },
): RunningWorker {
  const { prefix, shards, redis, log } = options;
  const concurrency = Math.ceil(options.concurrency / shards);
  const workers: RunningWorker[] = [];
  let served = 0;
  const growTo = (count: number) => {
    const added = prefixesOfShards(prefix, count).slice(served);
    workers.push(...added.map((ofShard) => startWorker({ ...options, prefix: ofShard, concurrency })));
    served = count;
  };
  growTo(shards);
  const following = followShards(redis, { prefix, shards, log }, (used) => {
    log.info('taking jobs of more shards than QUEUE_SHARDS', { stage: options.stage, shards: used });
    growTo(used);
  });
  return {
    async close() {
      await following.stop();
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
