import type { Queue, Worker } from 'bullmq';

/** How the progress of a worker is checked. */
export interface ProgressOptions {
  /** Milliseconds between two checks. */
  intervalMs: number;
  /** A worker is stuck after this number of consecutive checks that found jobs waiting and none taken. */
  checks: number;
}

/** A worker is stuck when jobs have waited for 30 s and it has taken none. */
const defaultOptions: ProgressOptions = { intervalMs: 5_000, checks: 6 };

/**
 * Detects a worker that takes no jobs although jobs wait. A worker can lose its blocking call after an outage of Redis,
 * without any error (seen in BullMQ 6.1–6.3). `runningJobs` returns the number of jobs that run now. Checks are counted, not time: a frozen
 * process makes none. `onStuck` is called once.
 */
export function watchProgress(
  worker: Worker,
  runningJobs: () => number,
  queue: Queue,
  onStuck: (reason: string) => void,
  { intervalMs, checks }: ProgressOptions = defaultOptions,
): { close(): void } {
  let idleChecks = 0;
  let checking = false;
  let closed = false;
  const reset = () => (idleChecks = 0);
  // Events cannot count the running jobs: BullMQ emits neither `completed` nor `failed` for a job whose lock was lost.
  worker.on('active', reset);

  const close = () => {
    closed = true;
    clearInterval(timer);
  };
  const check = async () => {
    if (runningJobs() > 0 || worker.isPaused()) return void reset();
    idleChecks += 1;
    // If the worker takes a job before the answer arrives, the count is reset.
    const waiting = await queue.getJobCountByTypes('waiting', 'prioritized').catch(() => 0);
    if (waiting === 0) return void reset();
    // Nobody takes the jobs of a paused queue, and a restart would not change that.
    if (await queue.isPaused().catch(() => true)) return void reset();
    if (idleChecks <= checks || closed) return;
    close();
    const seconds = Math.round((checks * intervalMs) / 1_000);
    onStuck(`${waiting} jobs are waiting in ${queue.name} and none was taken for ${seconds} s`);
  };
  const timer = setInterval(() => {
    if (checking) return;
    checking = true;
    void check().finally(() => (checking = false));
  }, intervalMs);
  return { close };
}
