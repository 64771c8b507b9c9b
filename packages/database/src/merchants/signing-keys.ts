import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime, secondsAfter } from '../client/database-clock.ts';
import { lockMerchant } from './merchants.ts';

/** The longest time for which a former signing key or identity secret counts beside the one that replaces it. */
export const maxOverlapHours = 168;

/** A key that webhooks are signed with. */
export interface NewSigningKey {
  id: string;
  merchantId: string;
  sealedSecret: string;
  /** From then on it makes X-Service-Signature. */
  promotedAt: Date;
}

/**
 * Lists the signing keys of a merchant that have not expired, newest first, and whether they are promoted by now. Secrets are sealed.
 */
export async function listSigningKeys(database: Database, merchantId: string) {
  const now = await readTime(database);
  const keys = await database.signingKey.findMany({
    where: { merchantId, OR: validAt(now) },
    omit: { merchantId: true },
    orderBy: { createdAt: 'desc' },
  });
  return keys.map((key) => ({ ...key, promoted: key.promotedAt <= now }));
}

const validAt = (time: Date) => [{ expiresAt: null }, { expiresAt: { gt: time } }];

/** Inserts a signing key beside the existing ones. */
export async function insertSigningKey(tx: Transaction, key: NewSigningKey): Promise<void> {
  const { sealedSecret: secret, ...fields } = key;
  await tx.signingKey.create({ data: { ...fields, secret } });
}

/**
 * Adds a signing key beside the existing ones. It signs `webhook-signature` at once; after `overlapSeconds` it takes over
 * `X-Service-Signature` and the older keys expire. Without older keys it takes over at once. Returns that time.
 */
export function rotateSigningKey(
  database: Database,
  key: Omit<NewSigningKey, 'promotedAt'>,
  overlapSeconds: number,
): Promise<Date> {
  const { id, merchantId } = key;
  return database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const now = await readTime(tx);
    const hasOthers = (await tx.signingKey.count({ where: { merchantId, OR: validAt(now) } })) > 0;
    const promotedAt = hasOthers ? secondsAfter(now, overlapSeconds) : now;
    await tx.signingKey.updateMany({
      where: { merchantId, OR: validAt(promotedAt) },
      data: { expiresAt: promotedAt },
    });
    await insertSigningKey(tx, { ...key, promotedAt });
    await audit(tx, { subjectId: id, details: { promotedAt } });
    return promotedAt;
  });
}

/** Deletes all signing keys: webhooks are no longer signed. Returns the number of keys. */
export function deleteSigningKeys(database: Database, merchantId: string): Promise<number> {
  return database.$transaction(async (tx) => {
    const { count: deleted } = await tx.signingKey.deleteMany({ where: { merchantId } });
    await audit(tx, { details: { deleted } });
    return deleted;
  });
}
