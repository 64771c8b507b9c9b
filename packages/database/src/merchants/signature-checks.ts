import type { Database } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';

/** A signing key with its sealed secret; also one that has expired. */
export interface SealedSigningKey {
  id: string;
  secret: string;
  expired: boolean;
}

/** All signing keys that a merchant has ever had, newest first. */
export async function listAllSigningKeys(
  database: Database,
  merchantId: string,
): Promise<SealedSigningKey[]> {
  const now = await readTime(database);
  const keys = await database.signingKey.findMany({
    where: { merchantId },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  return keys.map(({ id, secret, expiresAt }) => ({
    id,
    secret,
    expired: expiresAt !== null && expiresAt <= now,
  }));
}

/** An event of the merchant with its exact text, or undefined. */
export async function findEventBody(
  database: Database,
  merchantId: string,
  id: string,
): Promise<{ id: string; type: string; body: string } | undefined> {
  const event = await database.event.findFirst({
    where: { merchantId, id },
    select: { id: true, type: true, body: true },
  });
  return event ?? undefined;
}

/** Records that the merchant's receiver verifies signatures. Only the first time is stored. */
export async function recordSignatureChecked(database: Database, merchantId: string): Promise<void> {
  const where = { id: merchantId, signatureCheckedAt: null };
  if ((await database.merchant.count({ where })) === 0) return;
  await database.merchant.updateMany({ where, data: { signatureCheckedAt: await readTime(database) } });
}
