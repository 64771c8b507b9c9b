/** Limits how many callers proceed at the same time. */
export interface Semaphore {
  /** Resolves with a function that releases the permit, in the order of the calls. */
  acquire(): Promise<() => void>;
}

/**
 * Opens a semaphore. The number of permits may change: it is read when a permit is acquired or released. With `maxHoldMs`, a
 * permit is released after that time at the latest: the semaphore then limits how much is started at once, and work that
 * takes longer is no longer counted.
 */
export function openSemaphore({
  permits,
  maxHoldMs,
}: {
  permits: () => number;
  maxHoldMs?: number;
}): Semaphore {
  let held = 0;
  const waiting: ((release: () => void) => void)[] = [];

  const issuePermit = () => {
    held += 1;
    let released = false;
    const release = () => {
      if (released) return;
      released = true;
      clearTimeout(timer);
      held -= 1;
      issuePermits();
    };
    const timer = maxHoldMs === undefined ? undefined : setTimeout(release, maxHoldMs);
    return release;
  };

  const issuePermits = () => {
    while (waiting.length > 0 && held < permits()) waiting.shift()?.(issuePermit());
  };

  return {
    acquire() {
      const permit = new Promise<() => void>((resolve) => waiting.push(resolve));
      issuePermits();
      return permit;
    },
  };
}
