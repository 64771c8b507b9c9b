import type { Queryable } from '../client/client.ts';

/**
 * Locks a merchant until the transaction ends: of two changes at once the second waits, and its next statement sees what
 * the first has written. Take it before any other lock of the merchant's rows.
 */
export async function lockMerchant(tx: Queryable, merchantId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM merchants WHERE id = ${merchantId} FOR NO KEY UPDATE`;
}
