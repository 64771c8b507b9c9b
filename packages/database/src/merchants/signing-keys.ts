import type { Database } from '../client/client.ts';
import { lockMerchant } from './lock-merchant.ts';

/** The signing keys of a merchant that are not expired, newest first. Secrets are sealed. */
export async function listSigningKeys(database: Database, merchantId: string) {
  return database.signingKey.findMany({
    where: { merchantId, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    omit: { merchantId: true },
    orderBy: { createdAt: 'desc' },
  });
}

/**
 * Adds a signing key beside the ones in use. It signs at once in `webhook-signature`; at `promotedAt` it
 * takes over `X-Service-Signature` and the older ones end.
 */
export async function rotateSigningKey(
  database: Database,
  key: { id: string; merchantId: string; sealedSecret: string; promotedAt: Date },
): Promise<void> {
  const { id, merchantId, sealedSecret, promotedAt } = key;
  await database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    await tx.signingKey.updateMany({
      where: { merchantId, OR: [{ expiresAt: null }, { expiresAt: { gt: promotedAt } }] },
      data: { expiresAt: promotedAt },
    });
    await tx.signingKey.create({ data: { id, merchantId, secret: sealedSecret, promotedAt } });
  });
}

/** Deletes all signing keys: from now on webhooks are sent without a signature. Returns how many there were. */
export async function deleteSigningKeys(database: Database, merchantId: string): Promise<number> {
  const { count } = await database.signingKey.deleteMany({ where: { merchantId } });
  return count;
}
