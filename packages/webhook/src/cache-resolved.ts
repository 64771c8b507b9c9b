import type { ResolveName } from './name-resolver.ts';

/** Bounds of the cache; the defaults are 30 s and 10,000 names. */
export type CacheResolvedOptions = { maxAgeMs?: number; maxNames?: number };

/**
 * Remembers the answers of `resolve` for a short time and asks only once for a name that many wait for.
 * Failures are not remembered. What is remembered is judged by the guard each time it is used.
 */
export function cacheResolved(resolve: ResolveName, options: CacheResolvedOptions = {}): ResolveName {
  const { maxAgeMs = 30_000, maxNames = 10_000 } = options;
  const known = new Map<string, { addresses: string[]; until: number }>();
  const asking = new Map<string, Promise<string[]>>();

  function remember(name: string, addresses: string[]): string[] {
    // A Map keeps insertion order: the first key is the oldest answer.
    known.delete(name);
    const oldest = known.size >= maxNames ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    known.set(name, { addresses, until: performance.now() + maxAgeMs });
    return addresses;
  }

  function ask(name: string): Promise<string[]> {
    const answer = Promise.resolve(name)
      .then(resolve)
      .then((addresses) => remember(name, addresses))
      .finally(() => asking.delete(name));
    asking.set(name, answer);
    return answer;
  }

  return async (name) => {
    const entry = known.get(name);
    if (entry && entry.until > performance.now()) return entry.addresses;
    return asking.get(name) ?? ask(name);
  };
}
