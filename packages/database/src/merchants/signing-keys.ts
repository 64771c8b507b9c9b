import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { lockMerchant } from './merchants.ts';

/** A key that webhooks are signed with. */
export interface NewSigningKey {
  id: string;
  merchantId: string;
  sealedSecret: string;
  /** From then on it makes X-Service-Signature. */
  promotedAt: Date;
}

/** Lists the signing keys of a merchant that have not expired, newest first. Secrets are sealed. */
export async function listSigningKeys(database: Database, merchantId: string) {
  return database.signingKey.findMany({
    where: { merchantId, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date() } }] },
    omit: { merchantId: true },
    orderBy: { createdAt: 'desc' },
  });
}

/** Inserts a signing key beside the existing ones. */
export async function insertSigningKey(tx: Queryable, key: NewSigningKey): Promise<void> {
  await tx.execute(
    'INSERT INTO signing_keys (id, merchant_id, secret, promoted_at) VALUES ($1, $2, $3, $4)',
    [key.id, key.merchantId, key.sealedSecret, key.promotedAt],
  );
}

/**
 * Adds a signing key beside the existing ones. It signs `webhook-signature` at once; at `promotedAt` it takes over
 * `X-Service-Signature` and the older keys expire.
 */
export async function rotateSigningKey(database: Database, key: NewSigningKey): Promise<void> {
  await transact(database, async (tx) => {
    await lockMerchant(tx, key.merchantId);
    await tx.execute(
      `UPDATE signing_keys SET expires_at = $2
       WHERE merchant_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
      [key.merchantId, key.promotedAt],
    );
    await insertSigningKey(tx, key);
    await audit(tx, { subjectId: key.id, details: { promotedAt: key.promotedAt } });
  });
}

/** Deletes all signing keys: webhooks are no longer signed. Returns the number of keys. */
export function deleteSigningKeys(database: Database, merchantId: string): Promise<number> {
  return transact(database, async (tx) => {
    const deleted = await tx.execute('DELETE FROM signing_keys WHERE merchant_id = $1', [merchantId]);
    await audit(tx, { details: { deleted } });
    return deleted;
  });
}
