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

/** The time in ms, rendered anew every 5 seconds while `ticking`; never behind what has just been read. */
export function useNow(ticking = true): number {
  return Math.max(
    useSyncExternalStore(ticking ? listen : silent, () => now),
    Date.now(),
  );
}
