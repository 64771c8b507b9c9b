import type { Queue, Worker } from 'bullmq';

/** How a worker checks itself. */
export interface ProgressOptions {
  /** Milliseconds between two checks. */
  everyMs: number;
  /** Checks in a row that find jobs waiting, and none taken since the last, before the worker counts as stuck. */
  checks: number;
}

/** A worker is stuck when jobs have waited for 30 s and it has taken none. */
export const usualProgress: ProgressOptions = { everyMs: 5_000, checks: 6 };

/**
 * A worker's check of itself. A worker that lost its blocking call after an outage takes no job any more and gives no
 * error (seen in BullMQ 6.1–6.3), which only this notices. Checks are counted, not time: while the process is frozen
 * it makes none. `onStuck` is called once.
 */
export function watchProgress(
  worker: Worker,
  queue: Queue,
  onStuck: (reason: string) => void,
  { everyMs, checks }: ProgressOptions = usualProgress,
): { close(): void } {
  let idleChecks = 0;
  let running = 0;
  let checking = false;
  let closed = false;
  const moved = () => (idleChecks = 0);
  worker.on('active', () => {
    running += 1;
    moved();
  });
  const ended = () => {
    running = Math.max(0, running - 1);
    moved();
  };
  worker.on('completed', ended);
  worker.on('failed', ended);

  const close = () => {
    closed = true;
    clearInterval(timer);
  };
  const check = async () => {
    if (running > 0 || worker.isPaused()) return void moved();
    idleChecks += 1;
    // Whatever the worker does while the answer is under way sets the count back.
    const waiting = await queue.getWaitingCount().catch(() => 0);
    if (waiting === 0) return void moved();
    if (idleChecks <= checks || closed) return;
    close();
    const seconds = Math.round((checks * everyMs) / 1_000);
    onStuck(`${waiting} jobs wait in ${queue.name} and none was taken for ${seconds} s`);
  };
  const timer = setInterval(() => {
    if (checking) return;
    checking = true;
    void check().finally(() => (checking = false));
  }, everyMs);
  return { close };
}
