/** The calls of all shops: a fault that must not meet one can hold them. */
export interface Senders {
  /** Sends a call as soon as calls are not held. */
  send<T>(call: () => Promise<T>): Promise<T>;
  /** Resolves when no call is in flight. None is sent until the returned function is called. */
  hold(): Promise<() => void>;
}

/** Opens the senders of a run. */
export function openSenders(): Senders {
  let inFlight = 0;
  /** Settled while calls are not held. */
  let free: Promise<void> = Promise.resolve();
  const idle: (() => void)[] = [];
  return {
    async send(call) {
      await free;
      inFlight += 1;
      try {
        return await call();
      } finally {
        inFlight -= 1;
        if (inFlight === 0) for (const resolve of idle.splice(0)) resolve();
      }
    },
    async hold() {
      let release = () => undefined as void;
      const before = free;
      // Two that hold at once wait for one another.
      free = before.then(() => new Promise((resolve) => (release = resolve)));
      await before;
      if (inFlight > 0) await new Promise<void>((resolve) => idle.push(resolve));
      return () => release();
    },
  };
}
