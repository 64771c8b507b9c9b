import type { Queue } from 'bullmq';

const everyMs = 60_000;

/**
 * Removes the completed jobs of a queue that keeps none, now and every minute: those queued by an earlier release say
 * themselves that they are kept, orders and all.
 */
export function removeCompleted(queue: Queue): { close(): void } {
  let removing = false;
  const remove = async () => {
    if (removing) return;
    removing = true;
    // While Redis is away there is nothing to remove; the next minute tries again.
    await queue.clean(0, 0, 'completed').catch(() => undefined);
    removing = false;
  };
  void remove();
  const timer = setInterval(() => void remove(), everyMs);
  return { close: () => clearInterval(timer) };
}
