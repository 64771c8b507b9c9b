/**
 * Returns a function that reads at most once in `ms` milliseconds: callers share a read in progress, and its result until
 * it is that old. A failed read is not cached.
 */
export function cacheFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let cached: { at: number; result: Promise<T> } | undefined;
  return () => {
    if (cached && performance.now() - cached.at < ms) return cached.result;
    const reading = { at: performance.now(), result: read() };
    cached = reading;
    reading.result.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading.result;
  };
}
