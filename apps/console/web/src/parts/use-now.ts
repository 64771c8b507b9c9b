import { useSyncExternalStore } from 'react';

let now = Date.now();

/** One clock for all relative times of the page, every 5 seconds. */
function listen(changed: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    changed();
  }, 5_000);
  return () => clearInterval(timer);
}

const silent = () => () => undefined;

/** The time in ms, kept up to date while `ticking`. */
export function useNow(ticking = true): number {
  return useSyncExternalStore(ticking ? listen : silent, () => now);
}
