import { measureJobs, repeat } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import { Worker } from 'bullmq';
import type { Queue } from 'bullmq';
import { connectQueues } from './connect.ts';
import type { QueueSettings } from './connect.ts';
import { checkDurabilityWhenReady } from './durability.ts';
import { openHousekeepingQueue } from './queues.ts';
import { connectWorker, disconnect, workerCommandTimeoutMs } from './redis.ts';
import type { Redis } from './redis.ts';
import { housekeepingQueue, housekeepingTasks, metricMinutes } from './stages.ts';
import type { HousekeepingTask } from './stages.ts';
import { watchProgress } from './watch-progress.ts';

/** What a task does, and how often. */
export interface TaskPlan {
  /** Milliseconds between the starts of two runs. A longer run delays the next one. */
  everyMs: number;
  /** Does the task once. It can run twice, after its process was killed or frozen. The signal aborts at shutdown. */
  run(signal: AbortSignal): Promise<void>;
}

/** The queue of a housekeeping process. */
export interface HousekeepingQueue {
  /** The connection: its commands fail at once while Redis is unreachable. */
  redis: Redis;
  /** Starts the tasks, which run until shutdown. */
  start(plans: Record<HousekeepingTask, TaskPlan>): void;
}

/** How often the schedulers are created if Redis does not have them, in milliseconds. */
const scheduleIntervalMs = 10_000;
/** The task of a killed process is taken over after at most the lock duration plus the interval of the check. */
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;

/**
 * Connects a housekeeping process. The job scheduler of BullMQ gives each run of a task to one process, so that any number
 * of them share the tasks. Redis becomes a readiness check.
 */
export function connectHousekeeping(
  settings: QueueSettings,
  context: ProcessContext,
  installationId: () => Promise<string>,
): HousekeepingQueue {
  const { log, metrics, release, check, fail, shutdown } = context;
  const { QUEUE_PREFIX: prefix } = settings;
  const queues = connectQueues(settings, context, { installationId, timeoutMs: workerCommandTimeoutMs });
  const redis = connectWorker(settings.REDIS_URL, log);
  release('Redis connection of the worker', () => disconnect(redis));
  check('redis', () => queues.check());
  checkDurabilityWhenReady(redis, log);
  const observe = measureJobs(metrics, housekeepingQueue);
  return {
    redis: queues.redis,
    start(plans) {
      const stopping = new AbortController();
      const queue = openHousekeepingQueue(redis, prefix);
      release('housekeeping queue', () => queue.close());
      void queues.installation.confirmed().then(() => {
        if (shutdown.aborted) return;
        const scheduling = repeat('schedule tasks', scheduleIntervalMs, log, () => schedule(queue, plans));
        const worker = startTasks(queue, {
          plans,
          redis,
          prefix,
          log,
          observe,
          confirmed: () => queues.installation.confirmed(),
          signal: stopping.signal,
          onStuck: fail,
        });
        release('tasks', async () => {
          stopping.abort();
          await scheduling.stop();
          await worker.close();
        });
      });
    },
  };
}

/** Creates the schedulers that Redis does not have, or has with another interval. The first run of a new one is due at once. */
async function schedule(queue: Queue, plans: Record<HousekeepingTask, TaskPlan>): Promise<void> {
  for (const task of housekeepingTasks) {
    const { everyMs: every } = plans[task];
    const scheduler = await queue.getJobScheduler(task);
    if (scheduler?.every !== every) await queue.upsertJobScheduler(task, { every }, { name: task });
  }
}

function startTasks(
  queue: Queue,
  options: Pick<ProcessContext, 'log'> & {
    plans: Record<HousekeepingTask, TaskPlan>;
    redis: Redis;
    prefix: string;
    observe: ReturnType<typeof measureJobs>;
    confirmed: () => Promise<void>;
    signal: AbortSignal;
    onStuck(reason: string): void;
  },
): { close(): Promise<void> } {
  const { plans, redis, prefix, log, observe, confirmed, signal, onStuck } = options;
  /** The tasks whose last run failed. Of consecutive failures only the first is logged. */
  const failing = new Set<HousekeepingTask>();
  let running = 0;
  const worker = new Worker(
    housekeepingQueue,
    async (job) => {
      const task = housekeepingTasks.find((one) => one === job.name);
      // A task of another release, or a run of one that a process still works on.
      if (task === undefined || (await isRunning(queue, job))) return { skipped: true };
      // Redis may have been connected again.
      await confirmed();
      running += 1;
      const startedAt = performance.now();
      const seconds = () => (performance.now() - startedAt) / 1_000;
      try {
        await plans[task].run(signal);
        failing.delete(task);
        observe({ outcome: 'completed', seconds: seconds() });
        return {};
      } catch (error) {
        observe({ outcome: 'failed', seconds: seconds() });
        if (!failing.has(task)) log.warn('a task failed; its next run tries again', { task, error });
        failing.add(task);
        throw error;
      } finally {
        running -= 1;
      }
    },
    {
      connection: redis,
      prefix,
      concurrency: housekeepingTasks.length,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      // A run whose processes were killed several times must not fail because of that.
      maxStalledCount: 1_000_000,
      metrics: { maxDataPoints: metricMinutes },
      skipVersionCheck: true,
    },
  );
  // While Redis is unavailable, every attempt to take a job fails with the same error, which is logged once.
  let lastLogged = '';
  worker.on('error', ({ message }) => {
    if (message !== lastLogged)
      log.warn('the queue reported an error', { stage: housekeepingQueue, error: message });
    lastLogged = message;
  });
  worker.on('active', () => (lastLogged = ''));
  const progress = watchProgress(worker, () => running, queue, onStuck);
  return {
    async close() {
      progress.close();
      await worker.close();
    },
  };
}

/** Whether an earlier run of the same task is still active: a scheduler adds the next run when the one before it starts. */
async function isRunning(
  queue: Queue,
  { id, name, timestamp }: { id?: string; name: string; timestamp: number },
) {
  const active = await queue.getActive();
  return active.some((other) => other.name === name && other.id !== id && other.timestamp < timestamp);
}
