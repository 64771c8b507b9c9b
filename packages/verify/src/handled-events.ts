/**
 * Remembers which events were handled, so that the work of each is done once, even if it is delivered several times
 * or to several URLs. The best store is the database with the grants, in one transaction with them; docs/webhooks.md
 * shows this for PostgreSQL.
 *
 * `Transaction` is what the work needs to take part in that transaction, such as a client of `pg`; `undefined` where there
 * is none.
 */
export interface HandledEvents<Transaction = undefined> {
  /**
   * Runs `work` and stores `key`, or does nothing when `key` is stored already. When `work` throws, `key` is not stored and
   * the error is rethrown. Of two concurrent calls with one key the second waits for the first: answering it with 200 would
   * end the retries of work that may still fail.
   *
   * @returns true when this call ran `work`
   */
  once(key: string, work: (transaction: Transaction) => Promise<void>): Promise<boolean>;
}

/**
 * Stores the newest `maxEvents` keys (default 100,000, about 15 MB) in the memory of this process. For trying out, and for
 * work that may be repeated without harm. A delivery can be sent again at any later time, so grants need a store that lasts
 * as long as they do.
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
      // A Set keeps insertion order, so the first key is the oldest.
      const [oldest] = handled.size > maxEvents ? handled : [];
      if (oldest !== undefined) handled.delete(oldest);
      return true;
    },
  };
}

/** The steps of a transaction, in a database with a unique key. `Transaction` is what its statements need. */
export interface HandledTransaction<Transaction> {
  /** Such as a client of a pool. */
  connect(): Promise<Transaction>;
  /**
   * Begins the transaction and inserts the key. Returns whether it was new. It waits while another transaction inserts the same
   * key, as a unique key does.
   */
  insert(transaction: Transaction, key: string): Promise<boolean>;
  /** Commits, and releases the connection. */
  commit(transaction: Transaction): unknown;
  /** Rolls back, and releases the connection. Called when a step after `connect`, or the work, has thrown. */
  rollback(transaction: Transaction): unknown;
}

/**
 * Stores the keys in your database, in the transaction of the work. Write `connect` first: from
 * it TypeScript infers the type of `transaction`, in `onEvent` too.
 */
export function handledInDatabase<Transaction>(
  database: HandledTransaction<Transaction>,
): HandledEvents<Transaction> {
  return {
    async once(key, work) {
      const transaction = await database.connect();
      try {
        const isNew = await database.insert(transaction, key);
        if (isNew) await work(transaction);
        await database.commit(transaction);
        return isNew;
      } catch (error) {
        try {
          await database.rollback(transaction);
        } catch (failure) {
          throw new AggregateError([error, failure], 'the event was not handled, and its rollback failed', {
            cause: failure,
          });
        }
        throw error;
      }
    },
  };
}
