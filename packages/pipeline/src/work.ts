import { Worker } from 'bullmq';
import { boundedFailure } from './bounded-failure.ts';
import type { Redis } from './redis.ts';
import type { Log } from './redis.ts';
import { openQueue } from './queues.ts';
import { removeCompleted } from './remove-completed.ts';
import { metricMinutes, retryDelay, stages } from './stages.ts';
import type { Jobs, Stage } from './stages.ts';
import { watchProgress } from './watch-progress.ts';

/** What a job came to, for metrics. */
export type JobObserver = (sample: { outcome: 'completed' | 'failed'; seconds: number }) => void;

export interface WorkOptions<S extends Stage> {
  stage: S;
  redis: Redis;
  prefix: string;
  /** Jobs at a time in this process. */
  concurrency: number;
  /**
   * Handles one job; what it returns, a few counts, is kept with the job for the dashboard. It may run twice for one job
   * (a killed or frozen worker), so its effects must be idempotent. The signal aborts on shutdown or a lost lock.
   */
  handle(job: Jobs[S], signal: AbortSignal | undefined): Promise<unknown>;
  log: Log;
  observe: JobObserver;
  /** Called when jobs wait and none is taken: the process should end and be started afresh. */
  onStuck(reason: string): void;
}

/** A killed worker's job is taken over after at most lock + check. */
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;

/** Works on the queue of a stage until closed. */
export function work<S extends Stage>(
  options: WorkOptions<S>,
): {
  counts(): Promise<Record<string, number>>;
  close(): Promise<void>;
} {
  const { stage, redis, prefix, log } = options;
  const worker = new Worker<Jobs[S]>(
    stage,
    async (job, _token, signal) => {
      const started = performance.now();
      const outcome = (result: 'completed' | 'failed') =>
        options.observe({ outcome: result, seconds: (performance.now() - started) / 1_000 });
      try {
        const result = await options.handle(job.data, signal);
        outcome('completed');
        return result;
      } catch (error) {
        outcome('failed');
        throw boundedFailure(error);
      }
    },
    {
      connection: redis,
      prefix,
      concurrency: options.concurrency,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      // A job that was on several workers when they were killed is not to blame for it.
      maxStalledCount: 1_000_000,
      settings: { backoffStrategy: retryDelay },
      // Counts for the dashboard, by the minute: they stay when the jobs themselves are not kept.
      metrics: { maxDataPoints: metricMinutes },
      skipVersionCheck: true,
    },
  );
  // A Redis that is away fails every try to take a job: it is said once, and again only when it is something else.
  let said = '';
  worker.on('error', ({ message }) => {
    if (message !== said) log.warn('the queue gave an error', { stage, error: message });
    said = message;
  });
  worker.on('active', () => (said = ''));
  worker.on('failed', (job, error) =>
    log.warn('a job failed and will be tried again', {
      stage,
      job: job?.id,
      attempts: job?.attemptsMade,
      error: error.cause ?? error,
    }),
  );
  const queue = openQueue(stage, redis, prefix);
  const progress = watchProgress(worker, queue, options.onStuck);
  const removal = stages[stage].keepCompleted === 0 ? removeCompleted(queue) : undefined;

  return {
    counts: () => queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    async close() {
      progress.close();
      removal?.close();
      await worker.close();
      await queue.close();
    },
  };
}
