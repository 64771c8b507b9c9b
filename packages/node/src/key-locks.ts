/** Runs work so that no two pieces of work with a common key run at the same time. */
export interface KeyLocks {
  run<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result>;
}

/** Opens the locks. Which of several waiting pieces of work is next is not defined. */
export function openKeyLocks(): KeyLocks {
  const held = new Map<string, Promise<void>>();
  return {
    async run(keys, work) {
      for (let waiting = findHeld(held, keys); waiting; waiting = findHeld(held, keys)) await waiting;
      let release: () => void = () => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      for (const key of keys) held.set(key, released);
      try {
        return await work();
      } finally {
        for (const key of keys) held.delete(key);
        release();
      }
    },
  };
}

function findHeld(held: Map<string, Promise<void>>, keys: readonly string[]): Promise<void> | undefined {
  const key = keys.find((one) => held.has(one));
  return key === undefined ? undefined : held.get(key);
}
