import type { Queryable } from './client.ts';

/**
 * Locks an `Idempotency-Key` of a merchant until the transaction ends. Of two calls with one key at the same time the second waits here,
 * and then finds what the first one did, before anything is refused. To be called before any other lock.
 */
export async function lockKey(tx: Queryable, merchantId: string, key: string): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('rewardhook key ' || $1 || ' ' || $2, 0))`, [
    merchantId,
    key,
  ]);
}
