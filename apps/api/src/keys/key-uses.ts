import { LRUCache } from 'lru-cache';

/** Notes when keys are used, beside the requests and not before their answers. */
export interface KeyUses {
  note(keyId: string): void;
}

/** Opens the notes: each key is written at most once a minute, and one statement is under way at a time. */
export function openKeyUses({ write }: { write(keyIds: string[]): Promise<void> }): KeyUses {
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });
  let waiting: string[] = [];
  let writing = false;

  const writeWaiting = async () => {
    writing = true;
    while (waiting.length > 0) {
      const keyIds = waiting;
      waiting = [];
      // With PostgreSQL away a use is not shown: the next minute has its own.
      await write(keyIds).catch(() => undefined);
    }
    writing = false;
  };
  return {
    note(keyId) {
      if (noted.has(keyId)) return;
      noted.set(keyId, true);
      waiting.push(keyId);
      if (!writing) void writeWaiting();
    },
  };
}
