import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { insertMerchantIn, newMerchant } from './new-merchant.ts';
import type { NewMerchant, NewMerchantDetails, NewOwner } from './new-merchant.ts';
import type { Sealer } from './sealer.ts';
import { requireTimeZone } from './time-zones.ts';

/** Both sides of a new merchant, to be created together. */
export interface NewSides {
  live: NewMerchant;
  test: NewMerchant;
}

/** What a new merchant starts with: keys of its test side, whose rewards stand for no money. */
export interface FirstKeys {
  secretKey: string;
  publicKey: string;
  signingSecret: string;
}

/**
 * Makes both sides of a merchant that a user creates, and the first keys, which are of the test side. The live side has no
 * secret key: its developers create one when they go live.
 */
export function newSides(
  details: Omit<NewMerchantDetails, 'signingSecret' | 'liveMerchantId'> & { newSigningSecret(): string },
  sealer: Sealer,
): { sides: NewSides; firstKeys: FirstKeys } {
  const { newSigningSecret, ...common } = details;
  const live = newMerchant({ ...common, signingSecret: newSigningSecret() }, sealer).row;
  const signingSecret = newSigningSecret();
  const test = newMerchant({ ...common, signingSecret, liveMerchantId: live.id }, sealer);
  const { secretKey, publicKey } = test;
  return {
    sides: { live: { ...live, keys: live.keys.filter(({ kind }) => kind === 'public') }, test: test.row },
    firstKeys: { secretKey, publicKey, signingSecret },
  };
}

/**
 * Creates both sides of a merchant, in one transaction. The entry in the audit, on the live side, stands for both.
 * @throws UnknownTimeZone
 * @throws LimitReached when the owner belongs to as many merchants as a user may
 */
export async function insertSides(database: Database, sides: NewSides, owner: NewOwner): Promise<void> {
  await requireTimeZone(database, sides.live.timezone);
  await database.$transaction(async (tx) => {
    await insertSidesIn(tx, sides, owner);
    await audit(tx, { merchantId: sides.live.id, subjectId: sides.live.id });
  });
}

/**
 * The same within a transaction.
 * @throws LimitReached when the owner belongs to as many merchants as a user may
 * @throws when the e-mail of a new owner is taken, see `isEmailTaken`
 */
export async function insertSidesIn(
  tx: Transaction,
  { live, test }: NewSides,
  owner: NewOwner,
): Promise<void> {
  await insertMerchantIn(tx, live, owner);
  await insertMerchantIn(tx, test);
}
