const listeners = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `listener` when `signal` aborts, and gives the function that takes it off again. Many attempts may
 * wait on one signal (a job's, or the process's own): they share a single event listener, since Node warns
 * from the eleventh on and walks through all of them for each new one.
 */
export function listenForAbort(signal: AbortSignal, listener: () => void): () => void {
  let waiting = listeners.get(signal);
  if (!waiting) {
    const all = (waiting = new Set());
    listeners.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((call) => call()), { once: true });
  }
  const shared = waiting;
  shared.add(listener);
  return () => shared.delete(listener);
}
