/**
 * Remembers deliveries, so that one that comes twice counts once. With several processes the memory belongs
 * into their database. In SQL, with `create table seen_deliveries (id text primary key, seen_at timestamptz
 * default now())` and `pool` of `pg`:
 *
 * ```js
 * const seen = {
 *   async firstTime(id) {
 *     const sql = 'insert into seen_deliveries (id) values ($1) on conflict do nothing';
 *     return (await pool.query(sql, [id])).rowCount === 1;
 *   },
 *   async forget(id) {
 *     await pool.query('delete from seen_deliveries where id = $1', [id]);
 *   },
 * };
 * ```
 *
 * A process that dies between `firstTime` and the end of its work leaves a row that makes the retry count
 * as seen. Where that matters, insert the id in the same transaction as the grant instead (then `firstTime`
 * may just answer true). Rows older than 31 days may be deleted: no delivery is retried for longer.
 */
export interface SeenDeliveries {
  /** True for the first caller with this id, false for all others, until it is forgotten. */
  firstTime(deliveryId: string): Promise<boolean>;
  /** Its work failed: the next one counts as the first again. */
  forget(deliveryId: string): Promise<void>;
}

/** The memory of one process: the newest `maxDeliveries` ids (default 100,000, some 15 MB), gone at its end. */
export function seenInMemory({ maxDeliveries = 100_000 } = {}): SeenDeliveries {
  const seen = new Set<string>();
  return {
    async firstTime(deliveryId) {
      if (seen.has(deliveryId)) return false;
      seen.add(deliveryId);
      // A Set keeps insertion order: the first one is the oldest.
      const oldest = seen.size > maxDeliveries ? seen.values().next().value : undefined;
      if (oldest !== undefined) seen.delete(oldest);
      return true;
    },
    async forget(deliveryId) {
      seen.delete(deliveryId);
    },
  };
}
