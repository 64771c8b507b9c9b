/**
 * A signal that aborts with another one, or after a time in milliseconds, whichever is first. In Node 20 garbage collection may take a
 * time-out that only `AbortSignal.any` refers to, and it never ends then. It keeps one that has a listener.
 */
export function abortAfter(signal: AbortSignal, ms: number): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  timeout.addEventListener('abort', () => undefined, { once: true });
  return AbortSignal.any([signal, timeout]);
}
