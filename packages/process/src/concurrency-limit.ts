/** As many calls of a group run and wait as its limit allows. */
export class ConcurrencyLimitReached extends Error {}

/** Limits how many calls of each group, such as a merchant, run at the same time. */
export interface ConcurrencyLimit {
  /**
   * Runs a call as soon as fewer than the permitted number of its group run. The permit is held until the call has settled.
   * @throws ConcurrencyLimitReached
   */
  run<T>(group: string, call: () => Promise<T>): Promise<T>;
}

/**
 * Opens a limit: `permits` calls of a group run at a time, and up to `maxWaiting` more wait, in the order in which they came.
 * A group takes no memory while none of its calls run.
 */
export function openConcurrencyLimit({
  permits,
  maxWaiting,
}: {
  permits: number;
  maxWaiting: number;
}): ConcurrencyLimit {
  const groups = new Map<string, { running: number; waiting: (() => void)[] }>();

  return {
    async run(name, call) {
      const group = groups.get(name) ?? { running: 0, waiting: [] };
      groups.set(name, group);
      if (group.running >= permits) {
        if (group.waiting.length >= maxWaiting) throw new ConcurrencyLimitReached(`${maxWaiting} calls wait`);
        // The call that ends hands its permit over.
        await new Promise<void>((resolve) => group.waiting.push(resolve));
      } else group.running += 1;
      try {
        return await call();
      } finally {
        const next = group.waiting.shift();
        if (next) next();
        else {
          group.running -= 1;
          if (group.running === 0) groups.delete(name);
        }
      }
    },
  };
}
