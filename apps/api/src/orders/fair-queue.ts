/** A queue of tasks, which run one at a time. Merchants alternate. */
export interface FairQueue {
  /** Runs the task when those before it have run. Its error is thrown. */
  run<T>(merchantId: string, task: () => T | Promise<T>): Promise<T>;
}

/**
 * Opens a queue of tasks. If all of them ran at once, a small request would wait for all of them whenever it returns to the
 * event loop. Merchants alternate, so that one with many tasks delays another one by the running task. Between two tasks,
 * `iterationsBetween` iterations of the event loop serve small requests, accept one connection each (libuv 1.45 and later), and
 * finish the request of the task before.
 */
export function openFairQueue(iterationsBetween: number): FairQueue {
  /** What waits, by merchant. The first merchant is the next one. */
  const waiting = new Map<string, (() => void)[]>();
  let busy = false;

  const startAfter = (iterations: number, start: () => void) => {
    if (iterations > 0) setImmediate(startAfter, iterations - 1, start);
    else start();
  };
  const startNext = () => {
    const [next] = waiting;
    busy = next !== undefined;
    if (!next) return;
    const [merchantId, starts] = next;
    const start = starts.shift();
    waiting.delete(merchantId);
    if (starts.length > 0) waiting.set(merchantId, starts);
    start?.();
  };
  return {
    async run(merchantId, task) {
      if (busy)
        await new Promise<void>((start) => {
          const starts = waiting.get(merchantId) ?? [];
          starts.push(start);
          waiting.set(merchantId, starts);
        });
      busy = true;
      try {
        return await task();
      } finally {
        startAfter(iterationsBetween, startNext);
      }
    },
  };
}
