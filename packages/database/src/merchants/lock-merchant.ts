import type { PrismaTransaction, Queryable } from '../client/client.ts';

/**
 * Locks a merchant until the transaction ends: of two concurrent changes the second waits, and its next statement reads
 * what the first has written. To be called before any other row of the merchant is locked.
 */
export async function lockMerchant(tx: Queryable | PrismaTransaction, merchantId: string): Promise<void> {
  // Both kinds only until the last Prisma transaction is gone. Beware: Prisma's has `query` too, that of the pool.
  if ('$executeRaw' in tx)
    await tx.$executeRaw`SELECT 1 FROM merchants WHERE id = ${merchantId} FOR NO KEY UPDATE`;
  else await tx.query('SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
}
