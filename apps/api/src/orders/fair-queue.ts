import { openSemaphore } from '@rewardhook/process';

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
  const semaphore = openSemaphore({ permits: () => 1 });
  return {
    async run(merchantId, task) {
      const release = await semaphore.acquire(merchantId);
      try {
        return await task();
      } finally {
        callAfter(iterationsBetween, release);
      }
    },
  };
}

/** Calls a function after this number of iterations of the event loop. */
function callAfter(iterations: number, call: () => void): void {
  if (iterations > 0) setImmediate(callAfter, iterations - 1, call);
  else call();
}
