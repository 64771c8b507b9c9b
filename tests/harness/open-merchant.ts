import { createHmac, randomUUID } from 'node:crypto';
import { identitySecretContext, insertMerchant, newMerchant } from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { defaultTerms } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';

/** A merchant that an operator has created. */
export interface Merchant {
  id: string;
  secretKey: string;
  publicKey: string;
  signingSecret: string;
  /** The key of the `user_hash` of its members. */
  identitySecret: string;
}

/** Creates a merchant with the rows of `merchant create`, without loading the command line. */
export async function openMerchant(
  database: Database,
  sealer: Sealer,
  timezone = 'Asia/Seoul',
): Promise<Merchant> {
  const signingSecret = generateSigningSecret();
  const { row, secretKey, publicKey } = newMerchant(
    { name: `Shop ${randomUUID()}`, timezone, signingSecret, createdBy: 'operator', terms: defaultTerms },
    sealer,
  );
  await insertMerchant(database, row);
  const identitySecret = sealer.open(row.sealedIdentitySecret, identitySecretContext(row.id));
  return { id: row.id, secretKey, publicKey, signingSecret, identitySecret };
}

/** The `user_hash` that the merchant's server computes for a user id. */
export function userHashOf(merchant: Pick<Merchant, 'identitySecret'>, userId: string): string {
  return createHmac('sha256', merchant.identitySecret).update(userId, 'utf8').digest('hex');
}
