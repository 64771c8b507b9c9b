import { LRUCache } from 'lru-cache';
import type { ParsedApiKey } from '@rewardhook/contract';
import type { KeyOwner } from '@rewardhook/database';
import { withTimeout } from '@rewardhook/process';

/** Finds the owners of API keys. */
export interface KeyOwners {
  /**
   * The owner, or undefined when the key is unknown or revoked. While the database is unavailable, the answer for a key
   * that was used before comes from the cache.
   * @throws when the database is unavailable and the key is not in the cache, and what `onUncached` throws
   */
  find(key: ParsedApiKey, callbacks?: KeyCallbacks): Promise<KeyOwner | undefined>;
}

/** Called for a key that the cache does not have. */
export interface KeyCallbacks {
  /** Before the key is read from the database. May refuse the key by throwing. */
  onUncached(): Promise<void>;
  /** When the database does not have the key; once for calls that share a read. */
  onUnknown(): void;
}

/** Options of `openKeyOwners`. Durations are in milliseconds. */
export interface KeyOwnersOptions {
  /** Reads the owner from the database. */
  read(sha256: Buffer): Promise<KeyOwner | undefined>;
  /** For how long a cached owner is used without reading it again, and a revoked key still works. */
  freshMs?: number | undefined;
}

/** How long a request waits for the database when the cache has a stale owner, and when it has none. */
const staleTimeoutMs = 500;
const firstTimeoutMs = 3_000;
/** Pause after a failed read before the database is asked again. */
const failurePauseMs = 1_000;

/** Opens the cache of key owners. */
export function openKeyOwners({ read, freshMs = 2_000 }: KeyOwnersOptions): KeyOwners {
  let pausedUntil = 0;
  // Unknown keys have a cache of their own, so that they cannot evict known keys.
  const unknown = new LRUCache<string, true>({ max: 10_000, ttl: freshMs });
  const known = new LRUCache<string, KeyOwner | 'unknown', Buffer>({
    max: 10_000,
    ttl: freshMs,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (_name, stale, { context: sha256 }) => {
      if (performance.now() < pausedUntil)
        throw new Error('the database did not answer within the last second');
      try {
        const timeoutMs = stale === undefined ? firstTimeoutMs : staleTimeoutMs;
        return (await withTimeout(read(sha256), timeoutMs, 'the database did not answer')) ?? 'unknown';
      } catch (error) {
        pausedUntil = performance.now() + failurePauseMs;
        throw error;
      }
    },
  });

  /**
   * The cached owner while it is fresh. In the second half of that time it is read again in the background, so that requests
   * with a key in use do not wait for PostgreSQL every time the owner expires.
   */
  const findFresh = (name: string, sha256: Buffer): KeyOwner | 'unknown' | undefined => {
    const owner = known.get(name, { noDeleteOnStaleGet: true });
    if (owner !== undefined && known.getRemainingTTL(name) < freshMs / 2)
      // A failed read leaves the cached owner, as it does for a stale one.
      void known.fetch(name, { context: sha256, forceRefresh: true }).catch(() => undefined);
    return owner;
  };

  return {
    async find({ sha256 }, callbacks) {
      const name = sha256.toString('base64');
      if (unknown.get(name)) return undefined;
      if (callbacks && known.peek(name, { allowStale: true }) === undefined) await callbacks.onUncached();
      const owner = findFresh(name, sha256) ?? (await known.fetch(name, { context: sha256 }));
      // lru-cache gives undefined when the first read of a key fails.
      if (owner === undefined) throw new Error('the owner of the key could not be read');
      if (owner !== 'unknown') return owner;
      if (!unknown.has(name)) callbacks?.onUnknown();
      known.delete(name);
      unknown.set(name, true);
      return undefined;
    },
  };
}
