import { measureJobs, repeat } from '@rewardhook/process';
import type { ProcessContext } from '@rewardhook/process';
import type { Job, Queue } from 'bullmq';
import { connectWorkerProcess } from './connect.ts';
import type { QueueSettings } from './connect.ts';
import { openHousekeepingQueue } from './queues.ts';
import type { Redis } from './redis.ts';
import { housekeepingQueue, housekeepingTasks } from './stages.ts';
import type { HousekeepingTask } from './stages.ts';
import { takeJobs } from './worker.ts';

/** What a task does, and how often. */
export interface TaskPlan {
  /** Milliseconds between the starts of two runs. A longer run delays the next one. */
  everyMs: number;
  /** Does the task once. It can run twice, after its process was killed or frozen. The signal aborts at shutdown. */
  run(signal: AbortSignal): Promise<void>;
}

/** The queue of a housekeeping process. */
export interface HousekeepingQueue {
  /** A connection that fails at once while Redis is unavailable. */
  redis: Redis;
  /** Starts the tasks, which run until shutdown. */
  start(plans: Record<HousekeepingTask, TaskPlan>): void;
}

/** How often the schedulers are created if Redis does not have them, in milliseconds. */
const scheduleIntervalMs = 10_000;

/**
 * Connects a housekeeping process. The job scheduler of BullMQ gives each run of a task to one process, so that any number
 * of them share the tasks. Redis becomes a readiness check.
 */
export function connectHousekeeping(
  settings: QueueSettings,
  context: ProcessContext,
  installationId: () => Promise<string>,
): HousekeepingQueue {
  const { log, release, shutdown } = context;
  const { queues, redis } = connectWorkerProcess(settings, context, installationId);
  const confirmed = () => queues.installation.confirmed();
  return {
    redis: queues.redis,
    start(plans) {
      const stopping = new AbortController();
      void confirmed().then(() => {
        if (shutdown.aborted) return;
        const queue = openHousekeepingQueue(redis, settings.QUEUE_PREFIX);
        const scheduling = repeat('schedule tasks', scheduleIntervalMs, log, () => schedule(queue, plans));
        const { close } = takeJobs(queue, taskHandler(queue, plans, context, confirmed, stopping.signal), {
          redis,
          prefix: settings.QUEUE_PREFIX,
          concurrency: housekeepingTasks.length,
          log,
          onStuck: context.fail,
        });
        release('tasks', async () => {
          stopping.abort();
          await scheduling.stop();
          await close();
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

function taskHandler(
  queue: Queue,
  plans: Record<HousekeepingTask, TaskPlan>,
  { log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>,
  confirmed: () => Promise<void>,
  signal: AbortSignal,
) {
  const observe = measureJobs(metrics, housekeepingQueue);
  /** The tasks whose last run failed. Of consecutive failures only the first is logged. */
  const failing = new Set<HousekeepingTask>();
  return async (job: Job) => {
    const task = housekeepingTasks.find((one) => one === job.name);
    // A task of another release, or a run of one that a process still works on.
    if (task === undefined || (await isRunning(queue, job))) return { skipped: true };
    // Redis may have been connected again.
    await confirmed();
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
    }
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
