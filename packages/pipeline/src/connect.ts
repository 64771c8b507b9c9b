import { measureJobs, measureQueue } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { checkDurabilityWhenReady } from './durability.ts';
import { openProducer } from './queues.ts';
import type { Producer } from './queues.ts';
import { connectProducer, connectWorker, disconnect } from './redis.ts';
import type { Redis } from './redis.ts';
import { describeMemory, readMemory } from './redis-memory.ts';
import type { Jobs, Stage } from './stages.ts';
import { startWorker } from './worker.ts';

/** The settings of a process that uses queues. */
export interface QueueSettings {
  REDIS_URL: string;
  QUEUE_PREFIX: string;
}

/** The queues of a process that enqueues jobs. */
export interface Queues {
  /** The connection: its commands fail at once while Redis is unavailable. */
  redis: Redis;
  /** Opens a producer for a stage. It is closed at shutdown. */
  openProducer<S extends Stage>(stage: S): Producer<S>;
}

/** Connects a process that enqueues jobs. Everything is closed at shutdown. */
export function connectQueues(
  { REDIS_URL: url, QUEUE_PREFIX: prefix }: QueueSettings,
  { log, release }: Pick<ProcessContext, 'log' | 'release'>,
): Queues {
  const redis = connectProducer(url, log);
  release('Redis connection', () => disconnect(redis));
  return {
    redis,
    openProducer(stage) {
      const producer = openProducer(stage, redis, prefix);
      release(`producer of ${stage}`, () => producer.close());
      return producer;
    },
  };
}

/** The queues of a worker process. */
export interface WorkerQueues<S extends Stage> extends Pick<Queues, 'openProducer'> {
  /** Starts handling the jobs of the stage, with metrics, until shutdown. */
  startWorker(handle: (job: Jobs[S], signal: AbortSignal | undefined) => Promise<unknown>): void;
}

/**
 * Connects the worker process of a stage. It has two connections: one that takes jobs and waits for Redis forever, and
 * one that enqueues jobs for other stages and fails at once. Redis becomes a readiness check.
 */
export function connectStage<S extends Stage>(
  stage: S,
  settings: QueueSettings & { CONCURRENCY: number },
  context: ProcessContext,
): WorkerQueues<S> {
  const { log, metrics, release, check, fail } = context;
  const queues = connectQueues(settings, context);
  const redis = connectWorker(settings.REDIS_URL, log);
  release('Redis connection of the worker', () => disconnect(redis));
  check('redis', async () => describeMemory(await readMemory(redis)));
  checkDurabilityWhenReady(redis, log);
  return {
    openProducer: queues.openProducer,
    startWorker(handle) {
      const worker = startWorker({
        stage,
        redis,
        prefix: settings.QUEUE_PREFIX,
        concurrency: settings.CONCURRENCY,
        handle,
        log,
        observe: measureJobs(metrics),
        onStuck: fail,
      });
      release('worker', () => worker.close());
      measureQueue(metrics, () => worker.counts());
    },
  };
}
