const windowMs = 60_000;
const maxFailures = 10;
/** Addresses remembered at most; the oldest is forgotten first. */
const maxAddresses = 10_000;

/** Counts failed logins, to slow down guessing. */
export interface FailedLogins {
  add(address: string): void;
  /** Seconds until the address may try again; 0 when it may now. */
  secondsToWait(address: string): number;
}

/** Ten failures within a minute close an address until that minute is over. `now` is in milliseconds. */
export function countFailedLogins(now: () => number = () => performance.now()): FailedLogins {
  const windows = new Map<string, { endsAt: number; failures: number }>();
  const current = (address: string) => {
    const window = windows.get(address);
    return window && window.endsAt > now() ? window : undefined;
  };
  return {
    add(address) {
      const window = current(address);
      if (window) return void (window.failures += 1);
      windows.delete(address);
      windows.set(address, { endsAt: now() + windowMs, failures: 1 });
      const [oldest] = windows.keys();
      if (windows.size > maxAddresses && oldest !== undefined) windows.delete(oldest);
    },
    secondsToWait(address) {
      const window = current(address);
      return window && window.failures >= maxFailures ? Math.ceil((window.endsAt - now()) / 1_000) : 0;
    },
  };
}
