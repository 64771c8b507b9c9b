/** Limits how many callers proceed at the same time. */
export interface Semaphore {
  /** Resolves with a function that releases the permit, in the order of the calls. */
  acquire(): Promise<() => void>;
}

/**
 * Opens a semaphore. With `maxHoldMs`, a permit is released after that time at the latest: the semaphore then limits
 * how much is started at once, and work that takes longer is no longer counted.
 */
export function openSemaphore({ permits, maxHoldMs }: { permits: number; maxHoldMs?: number }): Semaphore {
  let free = permits;
  const waiting: (() => void)[] = [];

  const issuePermit = () => {
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      clearTimeout(timer);
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    };
    const timer = maxHoldMs === undefined ? undefined : setTimeout(release, maxHoldMs);
    return release;
  };

  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return issuePermit();
    },
  };
}
