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
import { anyInstallation, watchInstallation } from './installation.ts';
import type { InstallationWatch } from './installation.ts';
import { measureRedis } from './measure-redis.ts';
import { describeMemory } from './redis-memory.ts';
import { startShardWorkers } from './shard-workers.ts';
import { followShards, prefixOfShard } from './shards.ts';
import type { HintStage, Jobs, Stage } from './stages.ts';
import { watchMasters } from './watch-masters.ts';
import type { JobObserver, RunningWorker, WorkerOptions } from './worker.ts';

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
  /** Whether the queues belong to the database of the process. */
  installation: InstallationWatch;
  /**
   * Checks that Redis takes the writes of this process. Returns its memory use as text.
   * @throws when it does not, with the reason
   */
  check(): string | undefined;
  /** Opens a producer for a stage. It is closed at shutdown. */
  openProducer<S extends HintStage>(stage: S): Producer<S>;
}

/** How a process uses queues. */
export interface QueuesOptions {
  /** Returns the installation id of the database of the process. Without it, the queues of any installation are used. */
  installationId?: () => Promise<string>;
  /** How long a command may take, in milliseconds. */
  timeoutMs?: number;
}

/**
 * Connects a process that enqueues jobs, starts its heartbeat, and exports what Redis knows. Nothing is written before the
 * queues are known to belong to the installation of the database. Everything is closed at shutdown.
 */
export function connectQueues(
  {
    REDIS_URL: url,
    QUEUE_PREFIX: prefix,
    QUEUE_SHARDS: shards,
    REDIS_WAIT_REPLICAS: minReplicas = 0,
  }: QueueSettings,
  context: ProcessContext,
  { installationId, timeoutMs = commandTimeoutMs }: QueuesOptions = {},
): Queues {
  const { log, release, shutdown } = context;
  const redis = connectProducer(url, log, timeoutMs);
  release('Redis connection', () => disconnect(redis));
  const installation = installationId
    ? watchInstallation(redis, prefix, installationId, context)
    : anyInstallation;
  if (shards > 1)
    void installation.confirmed().then(() => {
      if (shutdown.aborted) return;
      const registration = followShards(redis, { prefix, shards, log }, () => undefined);
      release('registration of shards', () => registration.stop());
    });
  const prefixes = Array.from({ length: shards }, (_, shard) => prefixOfShard(prefix, shard));
  const watch = watchMasters(redis, prefixes, { intervalMs: 1_000, frozenAfterMs: 1_000, minReplicas });
  release('watch of Redis', () => watch.close());
  const heartbeat = startHeartbeat(redis, prefix, context, installation);
  measureRedis(redis, prefix, watch, context);
  const checkInstallation = () => {
    const refusal = installation.refusal();
    if (refusal !== undefined) throw new Error(refusal);
  };
  return {
    redis,
    installation,
    check() {
      const state = watch.state();
      if (state === 'not_answering' || state === 'read_only') throw new Error(watch.refusal());
      if (state !== 'unreachable') checkInstallation();
      heartbeat.check();
      const memory = watch.memory();
      return memory && describeMemory(memory);
    },
    openProducer(stage) {
      const producer = openProducer(stage, redis, prefix, { shards, check: checkInstallation });
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
    options: Pick<WorkerOptions<S>, 'concurrency' | 'isOutage' | 'onParked'> & {
      /** Called when a job was completed, with the time since it was enqueued, in seconds. */
      onCompleted?: (ageSeconds: number) => void;
    },
  ): void;
}

/**
 * Connects a process that takes jobs. It has two connections: one that takes jobs and waits for Redis forever (`redis`), and one that
 * enqueues jobs and fails at once while Redis is unreachable. Redis becomes a readiness check.
 */
export function connectWorkerProcess(
  settings: QueueSettings,
  context: ProcessContext,
  installationId: () => Promise<string>,
): { queues: Queues; redis: Redis } {
  const { log, release, check } = context;
  const queues = connectQueues(settings, context, { installationId, timeoutMs: workerCommandTimeoutMs });
  const redis = connectWorker(settings.REDIS_URL, log);
  release('Redis connection of the worker', () => disconnect(redis));
  check('redis', () => queues.check());
  checkDurabilityWhenReady(redis, log);
  return { queues, redis };
}

/** Connects the worker process of a stage. */
export function connectStage<S extends Stage>(
  stage: S,
  settings: QueueSettings,
  context: ProcessContext,
  installationId: () => Promise<string>,
): WorkerQueues<S> {
  const { log, metrics, release, fail, shutdown } = context;
  const { queues, redis } = connectWorkerProcess(settings, context, installationId);
  return {
    redis: queues.redis,
    openProducer: queues.openProducer,
    startWorker(handle, { onCompleted, ...others }) {
      const observe = measureJobs(metrics, stage);
      const options = {
        stage,
        redis,
        prefix: settings.QUEUE_PREFIX,
        shards: settings.QUEUE_SHARDS,
        async handle(job: Jobs[S], signal: AbortSignal | undefined) {
          // Redis may have been connected again.
          await queues.installation.confirmed();
          return handle(job, signal);
        },
        ...others,
        log,
        observe: (sample: Parameters<JobObserver>[0]) => {
          observe(sample);
          if (sample.outcome === 'completed') onCompleted?.(sample.ageSeconds);
        },
        onStuck: fail,
      };
      let worker: RunningWorker | undefined;
      void queues.installation.confirmed().then(() => {
        if (!shutdown.aborted) worker = startShardWorkers(options);
      });
      release('worker', () => worker?.close());
    },
  };
}
