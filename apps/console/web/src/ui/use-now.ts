import { useSyncExternalStore } from 'react';

let now = Date.now();

/** Updates `now` every 5 seconds. */
function subscribe(changed: () => void): () => void {
  const timer = setInterval(() => {
    now = Date.now();
    changed();
  }, 5_000);
  return () => clearInterval(timer);
}

const noSubscription = () => () => undefined;

/** The current time in ms. While `ticking`, the component renders again every 5 seconds. */
export function useNow(ticking = true): number {
  return Math.max(
    useSyncExternalStore(ticking ? subscribe : noSubscription, () => now),
    Date.now(),
  );
}
