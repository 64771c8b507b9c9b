import { LRUCache } from 'lru-cache';

/** Records when keys are used, in the background of the requests. */
export interface KeyUses {
  record(keyId: string): void;
}

/** Opens the record: each key is written at most once a minute, and one statement runs at a time. */
export function openKeyUses({ write }: { write(keyIds: string[]): Promise<void> }): KeyUses {
  const recorded = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  let waiting: string[] = [];
  let writing = false;

  const writeWaiting = async () => {
    writing = true;
    while (waiting.length > 0) {
      const keyIds = waiting;
      waiting = [];
      // A use is lost while PostgreSQL is unavailable. The next one is written a minute later.
      await write(keyIds).catch(() => undefined);
    }
    writing = false;
  };
  return {
    record(keyId) {
      if (recorded.has(keyId)) return;
      recorded.set(keyId, true);
      waiting.push(keyId);
      if (!writing) void writeWaiting();
    },
  };
}
