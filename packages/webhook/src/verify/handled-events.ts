/**
 * Runs the work of each event once, however often and by whichever URL it is delivered. The best place for the
 * keys is the database that has the grants, in one transaction with them: docs/webhooks.md has that for PostgreSQL.
 *
 * `Transaction` is what the work needs to be part of that transaction, such as a client of `pg`; `undefined` where
 * there is none.
 */
export interface HandledEvents<Transaction = undefined> {
  /**
   * Runs `work` and remembers `key`, or does nothing when `key` is remembered. When `work` throws, `key` is not
   * remembered, and the error is thrown on. Of two calls with one key at the same time the second waits for the first:
   * an answer of 200 to it would end the retries of work that may still fail.
   *
   * @returns true when `work` was run by this call
   */
  once(key: string, work: (transaction: Transaction) => Promise<void>): Promise<boolean>;
}

/**
 * The memory of one process: the newest `maxEvents` keys (default 100,000, some 15 MB), gone when the process ends. For
 * trying out, and for work that does no harm when it is repeated. A delivery can be sent again at any later time,
 * so grants need a memory that lasts as long as they do.
 */
export function handledInMemory({ maxEvents = 100_000 } = {}): HandledEvents {
  const handled = new Set<string>();
  const running = new Map<string, Promise<void>>();
  return {
    async once(key, work) {
      if (handled.has(key)) return false;
      const first = running.get(key);
      if (first) return first.then(() => false);
      const started = work(undefined);
      running.set(key, started);
      try {
        await started;
      } finally {
        running.delete(key);
      }
      handled.add(key);
      // A Set keeps insertion order: the first one is the oldest.
      const [oldest] = handled.size > maxEvents ? handled : [];
      if (oldest !== undefined) handled.delete(oldest);
      return true;
    },
  };
}
