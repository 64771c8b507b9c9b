import { LRUCache } from 'lru-cache';

/** Records when something is used, by its id, in the background of the requests: a key, or the feed of a merchant. */
export interface UsageRecord {
  record(id: string): void;
}

/** Opens the record: each id is written at most once a minute, and one statement runs at a time. */
export function openUsageRecord({ write }: { write(ids: string[]): Promise<void> }): UsageRecord {
  const recorded = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  let waiting: string[] = [];
  let writing = false;

  const writeWaiting = async () => {
    writing = true;
    while (waiting.length > 0) {
      const ids = waiting;
      waiting = [];
      // A use is lost while PostgreSQL is unavailable. The next one is written a minute later.
      await write(ids).catch(() => undefined);
    }
    writing = false;
  };
  return {
    record(id) {
      if (recorded.has(id)) return;
      recorded.set(id, true);
      waiting.push(id);
      if (!writing) void writeWaiting();
    },
  };
}
