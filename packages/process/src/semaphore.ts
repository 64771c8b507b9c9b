/** Limits how many callers proceed at the same time. */
export interface Semaphore {
  /**
   * Resolves with a function that releases the permit. Groups, such as merchants, alternate; the calls of one group, or without
   * a group, get their permits in order.
   */
  acquire(group?: string): Promise<() => void>;
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
  /** What waits, by group. The first group is the next one. */
  const waiting = new Map<string, ((release: () => void) => void)[]>();

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
    for (const [group, queue] of waiting) {
      if (held >= permits()) break;
      const resolve = queue.shift();
      // A group that is added again becomes the last one.
      waiting.delete(group);
      if (queue.length > 0) waiting.set(group, queue);
      resolve?.(issuePermit());
    }
  };

  return {
    acquire(group = '') {
      const permit = new Promise<() => void>((resolve) => {
        const queue = waiting.get(group);
        if (queue) queue.push(resolve);
        else waiting.set(group, [resolve]);
      });
      issuePermits();
      return permit;
    },
  };
}
