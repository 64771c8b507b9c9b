import { Worker } from 'bullmq';
import type { Redis } from './redis.ts';
import type { Log } from './redis.ts';
import { openQueue } from './queues.ts';
import { retryDelay } from './stages.ts';
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
   * Handles one job; what it returns is kept with the job for the dashboard. It may run twice for one job
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
        throw error;
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
      skipVersionCheck: true,
    },
  );
  worker.on('error', (error) => log.warn('the queue gave an error', { stage, error: error.message }));
  worker.on('failed', (job, error) =>
    log.warn('a job failed and will be tried again', {
      stage,
      job: job?.id,
      attempts: job?.attemptsMade,
      error,
    }),
  );
  const queue = openQueue(stage, redis, prefix);
  const progress = watchProgress(worker, queue, options.onStuck);

  return {
    counts: () => queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    async close() {
      progress.close();
      await worker.close();
      await queue.close();
    },
  };
}
