import { newId, randomBase62 } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import type { Database, Queryable, Transaction } from '../client/client.ts';
import { readTime, secondsAfter } from '../client/database-clock.ts';
import { findIdentitySecret, lockMerchant } from './merchants.ts';
import { formerIdentitySecretContext, identitySecretContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/** Makes an identity secret. */
export const newIdentitySecret = (): string => `ids_${randomBase62(43)}`;

/** A secret that was replaced, which boot still accepts. */
export interface FormerIdentitySecret {
  id: string;
  sealedSecret: string;
  replacedAt: Date;
  expiresAt: Date;
}

/** Former secrets of a merchant that are kept: each one that is accepted is tried at every wrong `user_hash`. */
const maxFormer = 5;

/** Finds the former identity secrets of a merchant that have not expired, newest first. */
export function findFormerIdentitySecrets(
  database: Queryable,
  merchantId: string,
): Promise<FormerIdentitySecret[]> {
  return database.query<FormerIdentitySecret & Record<string, unknown>>(
    `SELECT id, secret AS "sealedSecret", replaced_at AS "replacedAt", expires_at AS "expiresAt"
     FROM former_identity_secrets WHERE merchant_id = $1 AND expires_at > clock_timestamp()
     ORDER BY replaced_at DESC, id`,
    [merchantId],
  );
}

/** A new identity secret, and until when the former ones are accepted. */
export interface ReplacedIdentitySecret {
  identitySecret: string;
  formerExpireAt: Date;
}

/**
 * Replaces the identity secret of a merchant. The new one counts at once; the former one is accepted for `overlapSeconds`, and
 * those before it at most as long: without an overlap none is. Returns undefined for an unknown merchant.
 * @throws SealError
 */
export function replaceIdentitySecret(
  database: Database,
  sealer: Sealer,
  merchantId: string,
  overlapSeconds: number,
): Promise<ReplacedIdentitySecret | undefined> {
  return database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const sealed = await findIdentitySecret(tx, merchantId);
    if (sealed === undefined) return undefined;
    const now = await readTime(tx);
    const formerExpireAt = secondsAfter(now, overlapSeconds);
    const former = { merchantId };
    await tx.formerIdentitySecret.updateMany({
      where: { ...former, expiresAt: { gt: formerExpireAt } },
      data: { expiresAt: formerExpireAt },
    });
    if (overlapSeconds > 0) {
      const id = newId('fis');
      const secret = sealer.seal(
        sealer.open(sealed, identitySecretContext(merchantId)),
        formerIdentitySecretContext(merchantId, id),
      );
      await tx.formerIdentitySecret.create({
        data: { id, merchantId, secret, replacedAt: now, expiresAt: formerExpireAt },
      });
    }
    await deleteUnused(tx, merchantId, now);
    const identitySecret = newIdentitySecret();
    await tx.merchant.update({
      where: { id: merchantId },
      data: { identitySecret: sealer.seal(identitySecret, identitySecretContext(merchantId)) },
      select: { id: true },
    });
    await audit(tx, { subjectId: merchantId, details: { formerExpireAt } });
    return { identitySecret, formerExpireAt };
  });
}

/** Deletes the former secrets that have expired, and all but the newest ones. */
async function deleteUnused(tx: Transaction, merchantId: string, now: Date): Promise<void> {
  await tx.formerIdentitySecret.deleteMany({ where: { merchantId, expiresAt: { lte: now } } });
  const older = await tx.formerIdentitySecret.findMany({
    where: { merchantId },
    select: { id: true },
    orderBy: [{ replacedAt: 'desc' }, { id: 'desc' }],
    skip: maxFormer,
  });
  await tx.formerIdentitySecret.deleteMany({ where: { id: { in: older.map(({ id }) => id) } } });
}

/** Seals the former secrets of a merchant for its new id. */
export async function resealFormerIdentitySecrets(
  tx: Transaction,
  sealer: Sealer,
  { from, to }: { from: string; to: string },
): Promise<void> {
  for (const { id, secret } of await tx.formerIdentitySecret.findMany({ where: { merchantId: to } }))
    await tx.formerIdentitySecret.updateMany({
      where: { id },
      data: {
        secret: sealer.seal(
          sealer.open(secret, formerIdentitySecretContext(from, id)),
          formerIdentitySecretContext(to, id),
        ),
      },
    });
}
