import { measureJobs } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { checkDurabilityWhenReady } from './durability.ts';
import { openProducer } from './queues.ts';
import type { Producer } from './queues.ts';
import {
  commandTimeoutMs,
  connectProducer,
  connectWorker,
  disconnect,
  workerCommandTimeoutMs,
} from './redis.ts';
import type { Redis } from './redis.ts';
import { startHeartbeat } from './heartbeats.ts';
import { measureRedis } from './measure-redis.ts';
import { describeMemory } from './redis-memory.ts';
import { startShardWorkers } from './shard-workers.ts';
import { followShards, prefixOfShard } from './shards.ts';
import type { HintStage, Jobs, Stage } from './stages.ts';
import { watchMasters } from './watch-masters.ts';
import type { WorkerOptions } from './worker.ts';

/** The settings of a process that uses queues. */
export interface QueueSettings {
  REDIS_URL: string;
  QUEUE_PREFIX: string;
  QUEUE_SHARDS: number;
  /** Number of replicas that must have a request; only of the API. */
  REDIS_WAIT_REPLICAS?: number;
}

/** The queues of a process that enqueues jobs. */
export interface Queues {
  /** The connection: its commands fail at once while Redis is unreachable. */
  redis: Redis;
  /**
   * Checks that Redis takes the writes of this process. Returns its memory use as text.
   * @throws when it does not, with the reason
   */
  check(): string | undefined;
  /** Opens a producer for a stage. It is closed at shutdown. */
  openProducer<S extends HintStage>(stage: S): Producer<S>;
}

/**
 * Connects a process that enqueues jobs, starts its heartbeat, and exports what Redis knows. A command may take `timeoutMs`.
 * Everything is closed at shutdown.
 */
export function connectQueues(
  {
    REDIS_URL: url,
    QUEUE_PREFIX: prefix,
    QUEUE_SHARDS: shards,
    REDIS_WAIT_REPLICAS: minReplicas = 0,
  }: QueueSettings,
  context: ProcessContext,
  timeoutMs = commandTimeoutMs,
): Queues {
  const { log, release } = context;
  const redis = connectProducer(url, log, timeoutMs);
  release('Redis connection', () => disconnect(redis));
  if (shards > 1) {
    const registration = followShards(redis, { prefix, shards, log }, () => undefined);
    release('registration of shards', () => registration.stop());
  }
  const prefixes = Array.from({ length: shards }, (_, shard) => prefixOfShard(prefix, shard));
  const watch = watchMasters(redis, prefixes, { intervalMs: 1_000, frozenAfterMs: 1_000, minReplicas });
  release('watch of Redis', () => watch.close());
  const heartbeat = startHeartbeat(redis, prefix, context);
  measureRedis(redis, prefix, watch, context);
  return {
    redis,
    check() {
      const state = watch.state();
      if (state === 'not_answering' || state === 'read_only') throw new Error(watch.refusal());
      heartbeat.check();
      const memory = watch.memory();
      return memory && describeMemory(memory);
    },
    openProducer(stage) {
      const producer = openProducer(stage, redis, prefix, shards);
      release(`producer of ${stage}`, () => producer.close());
      return producer;
    },
  };
}

/** The queues of a worker process. */
export interface WorkerQueues<S extends Stage> extends Pick<Queues, 'openProducer' | 'redis'> {
  /** Starts handling the jobs of the stage, with metrics, until shutdown. */
  startWorker(
    handle: (job: Jobs[S], signal: AbortSignal | undefined) => Promise<unknown>,
    failures: Pick<WorkerOptions<S>, 'isOutage' | 'onParked'> & {
      /** Called when a job was completed, with the time since it was enqueued, in seconds. */
      onCompleted?: (ageSeconds: number) => void;
    },
  ): void;
}

/**
 * Connects the worker process of a stage. It has two connections: one that takes jobs and waits for Redis forever, and
 * one that enqueues jobs for other stages and fails at once while Redis is unreachable. Redis becomes a readiness check.
 */
export function connectStage<S extends Stage>(
  stage: S,
  settings: QueueSettings & { CONCURRENCY: number },
  context: ProcessContext,
): WorkerQueues<S> {
  const { log, metrics, release, check, fail } = context;
  const queues = connectQueues(settings, context, workerCommandTimeoutMs);
  const redis = connectWorker(settings.REDIS_URL, log);
  release('Redis connection of the worker', () => disconnect(redis));
  check('redis', () => queues.check());
  checkDurabilityWhenReady(redis, log);
  return {
    redis: queues.redis,
    openProducer: queues.openProducer,
    startWorker(handle, { onCompleted, ...failures }) {
      const observe = measureJobs(metrics, stage);
      const worker = startShardWorkers({
        stage,
        redis,
        prefix: settings.QUEUE_PREFIX,
        shards: settings.QUEUE_SHARDS,
        concurrency: settings.CONCURRENCY,
        handle,
        ...failures,
        log,
        observe: (sample) => {
          observe(sample);
          if (sample.outcome === 'completed') onCompleted?.(sample.ageSeconds);
        },
        onStuck: fail,
      });
      release('worker', () => worker.close());
    },
  };
}
