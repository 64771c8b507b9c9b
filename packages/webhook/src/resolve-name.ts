import { promises as dns } from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';

/** Resolves a host name to all its addresses, at least one; rejects with a DNS error code when there is none. */
export type ResolveName = (name: string) => Promise<string[]>;

/** How long a found IPv4 address waits for the IPv6 answer (RFC 8305, "Resolution Delay"). */
const resolutionDelayMs = 50;

/**
 * Creates a resolver of A and AAAA records that uses c-ares; `servers` (`host:port`) replace those of the machine.
 *
 * `dns.lookup` would run on the 4 threads that files, zlib and crypto share: four endpoints whose name server does
 * not answer would stop all deliveries. It is the fallback only where no name server listens, that is, on machines
 * that resolve names in another way. Otherwise hosts files and search domains are not used; public names do not need
 * them.
 */
export function nameResolver(servers?: string[]): ResolveName {
  return async (name) => {
    // One resolver for each name (0.05 ms): a late query can then be cancelled without affecting others.
    const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
    if (servers) resolver.setServers(servers);
    const v4 = resolver.resolve4(name);
    const v6 = resolver.resolve6(name).catch((): string[] => []);
    try {
      const found = await v4;
      return found.concat(await Promise.race([v6, delay(resolutionDelayMs, [])]));
    } catch (error) {
      const found = await v6;
      if (found.length > 0) return found;
      if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      return (await dns.lookup(name, { all: true })).map(({ address }) => address);
    } finally {
      resolver.cancel();
    }
  };
}

/** Bounds of the cache; the defaults are 30 s and 10,000 names. */
export type NameCacheOptions = { maxAgeMs?: number; maxNames?: number };

/**
 * Caches the answers of `resolve`. Concurrent lookups of a name share one query. Failures are not cached. The guard
 * checks cached addresses each time they are used.
 */
export function cacheNames(resolve: ResolveName, options: NameCacheOptions = {}): ResolveName {
  const { maxAgeMs = 30_000, maxNames = 10_000 } = options;
  const cache = new LRUCache<string, string[]>({
    max: maxNames,
    ttl: maxAgeMs,
    fetchMethod: (name) => resolve(name),
    // A lookup that is evicted while it runs still resolves for the callers that wait for it.
    ignoreFetchAbort: true,
  });
  return (name) => cache.forceFetch(name);
}
