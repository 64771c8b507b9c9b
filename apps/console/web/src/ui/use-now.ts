import { useSyncExternalStore } from 'react';

const subscribers = new Set<() => void>();
let clock: ReturnType<typeof setInterval> | undefined;

/** One clock for all times of the page. It runs every 5 seconds while a time is shown. */
function subscribe(changed: () => void): () => void {
  subscribers.add(changed);
  clock ??= setInterval(() => subscribers.forEach((notify) => notify()), 5_000);
  return () => {
    subscribers.delete(changed);
    if (subscribers.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  };
}

/** What `show` makes of the current time in ms, every 5 seconds. The component renders again only when that changes. */
export const useNow = <T extends string | number | boolean>(show: (now: number) => T): T =>
  useSyncExternalStore(subscribe, () => show(Date.now()));
