import type { Log } from '@rewardhook/process';
import { Worker } from 'bullmq';
import type { Job, Queue, WorkerOptions as BullWorkerOptions } from 'bullmq';
import { countFailure, failureDelay, JobParked } from './content-failures.ts';
import { readPayload, UnreadableJob } from './job-payload.ts';
import { openQueue } from './queues.ts';
import type { Redis } from './redis.ts';
import { metricMinutes } from './stages.ts';
import type { Jobs, Stage } from './stages.ts';
import { watchProgress } from './watch-progress.ts';

/** Called after each run of a job, for metrics: its duration, and the age of the job at its end. */
export type JobObserver = (sample: {
  outcome: 'completed' | 'failed';
  seconds: number;
  ageSeconds: number;
}) => void;

/** A worker of one stage. */
export interface WorkerOptions<S extends Stage> {
  stage: S;
  redis: Redis;
  /** The prefix of all queues (setting QUEUE_PREFIX). */
  prefix: string;
  /** Number of jobs that this process handles at a time. */
  concurrency: number;
  /**
   * Handles one job. The result (a few counts) is kept with the job for the dashboard. A job can run twice, after its
   * worker was killed or frozen, so its effects must be idempotent. The signal aborts at shutdown and when the worker
   * loses the lock of the job.
   */
  handle(job: Jobs[S], signal: AbortSignal | undefined): Promise<unknown>;
  /** Whether an error of the handler is an outage, during which a job is retried without limit. */
  isOutage?: ((error: unknown) => boolean) | undefined;
  /** Called before a job is parked, after repeated failures that are no outage. */
  onParked?: ((job: Jobs[S], error: Error) => Promise<void>) | undefined;
  log: Log;
  observe: JobObserver;
  /** Called when jobs wait and the worker takes none: the process should restart. */
  onStuck(reason: string): void;
}

/** A worker that handles jobs until it is closed. */
export interface RunningWorker {
  close(): Promise<void>;
}

/** The job of a killed worker is taken over after at most the lock duration plus the interval of the check. */
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;

/** Takes the jobs of a queue with a worker of BullMQ, until it is closed. The signal of `handle` aborts when the lock is lost. */
export function takeJobs(
  queue: Queue,
  handle: (job: Job, signal: AbortSignal | undefined) => Promise<unknown>,
  options: Pick<WorkerOptions<Stage>, 'redis' | 'prefix' | 'concurrency' | 'log' | 'onStuck'> &
    Pick<BullWorkerOptions, 'settings'>,
): { worker: Worker } & RunningWorker {
  const { redis, log, onStuck, ...others } = options;
  let running = 0;
  const worker = new Worker(
    queue.name,
    async (job, _token, signal) => {
      running += 1;
      try {
        return await handle(job, signal);
      } finally {
        running -= 1;
      }
    },
    {
      ...others,
      connection: redis,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      // A job whose workers were killed several times must not fail because of that.
      maxStalledCount: 1_000_000,
      // Counts per minute for the dashboard. They remain when the jobs themselves are removed.
      metrics: { maxDataPoints: metricMinutes },
      skipVersionCheck: true,
    },
  );
  // While Redis is unavailable, every attempt to take a job fails with the same error, which is logged once.
  let lastLogged = '';
  worker.on('error', (error) => {
    // The message of a SyntaxError quotes the data of a job that was damaged in Redis.
    const message = error instanceof SyntaxError ? 'the data of a job is not JSON' : error.message;
    if (message !== lastLogged)
      log.warn('the queue reported an error', { stage: queue.name, error: message });
    lastLogged = message;
  });
  worker.on('active', () => (lastLogged = ''));
  const progress = watchProgress(worker, () => running, queue, onStuck);
  return {
    worker,
    async close() {
      progress.close();
      await worker.close();
      await queue.close();
    },
  };
}

/** Starts handling the jobs of a stage. */
export function startWorker<S extends Stage>(options: WorkerOptions<S>): RunningWorker {
  const { stage, redis, prefix, concurrency, log, onStuck, isOutage = () => false } = options;
  const handle = async (job: Job, signal: AbortSignal | undefined) => {
    const startedAt = performance.now();
    const observe = (outcome: 'completed' | 'failed') =>
      options.observe({
        outcome,
        seconds: (performance.now() - startedAt) / 1_000,
        ageSeconds: Math.max(0, (Date.now() - job.timestamp) / 1_000),
      });
    let data: Jobs[S] | undefined;
    try {
      data = readPayload(stage, job.data);
      const result = await options.handle(data, signal);
      observe('completed');
      return result;
    } catch (error) {
      observe('failed');
      const failure = await countFailure(job, error, isOutage);
      // A retried job runs before what waits: its merchant's virtual time may have been forgotten since it was added.
      if (job.priority > 1) await job.changePriority({ priority: 1 });
      if (failure instanceof JobParked && data) await options.onParked?.(data, failure);
      throw failure;
    }
  };
  const { worker, close } = takeJobs(openQueue(stage, redis, prefix) as Queue, handle, {
    redis,
    prefix,
    concurrency,
    log,
    onStuck,
    settings: {
      backoffStrategy: (attemptsMade, _type, error, job) => failureDelay(attemptsMade, error, job?.progress),
    },
  });
  logFailures(worker, stage, log);
  return { close };
}

/** Logs failed jobs. */
function logFailures(worker: Worker, stage: Stage, log: Log): void {
  worker.on('failed', (job, error) => {
    if (error instanceof UnreadableJob)
      return log.error('a job cannot be read and stays among the failed jobs', {
        stage,
        job: job?.id,
        error: error.message,
      });
    const fields = { stage, job: job?.id, attempts: job?.attemptsMade, error: error.cause ?? error };
    if (error instanceof JobParked) log.error('a job is parked: "queue retry" retries it', fields);
    else log.warn('a job failed and will be retried', fields);
  });
}
