import { setTimeout } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ParsedApiKey } from '@rewardhook/contract';
import type { KeyOwner } from '@rewardhook/database';

/** Finds out whom a key belongs to. */
export interface KeyOwners {
  /**
   * The owner, or undefined when the key is unknown or revoked. A key seen before is answered from memory while
   * the database is away.
   * @throws when the database is away and the key was not seen yet
   */
  find(key: ParsedApiKey): Promise<KeyOwner | undefined>;
}

export interface KeyOwnersOptions {
  /** Reads the owner from the database. */
  read(sha256: Buffer): Promise<KeyOwner | undefined>;
  /** A revoked key works for at most so long, in milliseconds. */
  freshMs?: number;
  /** Longest wait for the database before the last known answer counts, in milliseconds. */
  patienceMs?: number;
}

/** Longest wait for the database when nothing is known of the key yet, in milliseconds. */
const firstPatienceMs = 3_000;
/** After a failed look-up the database is left alone for so long, in milliseconds. */
const quietMs = 1_000;

/** Opens the bounded memory of keys that were seen. */
export function openKeyOwners({ read, freshMs = 2_000, patienceMs = 500 }: KeyOwnersOptions): KeyOwners {
  let quietUntil = 0;
  // Unknown keys are remembered apart, so that a flood of them pushes no known key out.
  const unknown = new LRUCache<string, true>({ max: 1_000, ttl: freshMs });
  const known = new LRUCache<string, KeyOwner | 'unknown', Buffer>({
    max: 10_000,
    ttl: freshMs,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    fetchMethod: async (_name, stale, { context: sha256 }) => {
      if (performance.now() < quietUntil) throw new Error('the database did not answer a moment ago');
      try {
        const patience = stale === undefined ? firstPatienceMs : patienceMs;
        return (await withPatience(read(sha256), patience)) ?? 'unknown';
      } catch (error) {
        quietUntil = performance.now() + quietMs;
        throw error;
      }
    },
  });

  return {
    async find({ sha256 }) {
      const name = sha256.toString('base64');
      if (unknown.get(name)) return undefined;
      const owner = await known.fetch(name, { context: sha256 });
      // A failed look-up of a key that was never seen ends as undefined, not as an error.
      if (owner === undefined) throw new Error('the key could not be looked up');
      if (owner !== 'unknown') return owner;
      known.delete(name);
      unknown.set(name, true);
      return undefined;
    },
  };
}

async function withPatience<T>(work: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController();
  const late = setTimeout(ms, undefined, { signal: done.signal }).then(() => {
    throw new Error(`the database did not answer within ${ms} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}
