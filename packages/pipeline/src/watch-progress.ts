import type { Queue, Worker } from 'bullmq';

/** Jobs that wait for so long while none is taken mean that the worker hangs. */
const stuckAfterMs = 30_000;
const lookEveryMs = 5_000;

/**
 * A worker's look at itself. A worker that lost its blocking call after an outage takes no job any more and
 * gives no error (seen in BullMQ 6.1–6.3), which only this notices.
 */
export function watchProgress(
  worker: Worker,
  queue: Queue,
  onStuck: (reason: string) => void,
): { close(): void } {
  let lastMove = Date.now();
  let running = 0;
  worker.on('active', () => {
    running += 1;
    lastMove = Date.now();
  });
  const ended = () => {
    running = Math.max(0, running - 1);
    lastMove = Date.now();
  };
  worker.on('completed', ended);
  worker.on('failed', ended);

  const look = async () => {
    if (running > 0 || worker.isPaused()) return void (lastMove = Date.now());
    const waiting = await queue.getWaitingCount().catch(() => 0);
    if (waiting === 0) return void (lastMove = Date.now());
    const stillMs = Date.now() - lastMove;
    if (stillMs > stuckAfterMs)
      onStuck(
        `${waiting} jobs wait in ${queue.name} and none was taken for ${Math.round(stillMs / 1_000)} s`,
      );
  };
  const timer = setInterval(() => void look(), lookEveryMs);
  return { close: () => clearInterval(timer) };
}
