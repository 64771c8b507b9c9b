import { modeOf, newId, newMerchantId } from '@rewardhook/contract';
import type { Terms } from '@rewardhook/rewards';
import { addMembership } from '../accounts/memberships.ts';
import { insertUser } from '../accounts/users.ts';
import type { NewUser } from '../accounts/users.ts';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';
import { insertFirstProgram } from '../rewards/programs.ts';
import { newApiKey } from './api-keys.ts';
import type { NewApiKey } from './api-keys.ts';
import { newIdentitySecret } from './identity-secrets.ts';
import { identitySecretContext, signingKeyContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';
import { insertSigningKey } from './signing-keys.ts';
import { requireTimeZone } from './time-zones.ts';

/** A merchant to be created, with its first keys and its program. `newMerchant` makes one. */
export interface NewMerchant {
  id: string;
  /** For a test side: its live merchant. */
  liveMerchantId?: string | null;
  name: string;
  timezone: string;
  sealedIdentitySecret: string;
  keys: NewApiKey[];
  signingKey: { id: string; sealedSecret: string };
  program: { id: string; terms: Terms };
}

/** What a new merchant is made from. */
export interface NewMerchantDetails {
  name: string;
  timezone: string;
  signingSecret: string;
  /** The id of a user, or `operator`. */
  createdBy: string;
  /** The terms of its program's first version. */
  terms: Terms;
  /** For a test side: its live merchant. */
  liveMerchantId?: string;
}

/**
 * Makes a new merchant with a secret and a public key, a signing key, an identity secret and a program: the row to
 * insert, and the keys, which are shown once.
 */
export function newMerchant(
  { name, timezone, signingSecret, createdBy, terms, liveMerchantId }: NewMerchantDetails,
  sealer: Sealer,
): { row: NewMerchant; secretKey: string; publicKey: string } {
  const id = newMerchantId(liveMerchantId === undefined ? 'live' : 'test');
  const signingKeyId = newId('sgk');
  const secretKey = newApiKey(id, 'secret', 'first secret key', createdBy);
  const publicKey = newApiKey(id, 'public', 'first public key', createdBy);
  return {
    row: {
      id,
      liveMerchantId: liveMerchantId ?? null,
      name,
      timezone,
      sealedIdentitySecret: sealer.seal(newIdentitySecret(), identitySecretContext(id)),
      keys: [secretKey.row, publicKey.row],
      signingKey: {
        id: signingKeyId,
        sealedSecret: sealer.seal(signingSecret, signingKeyContext(id, signingKeyId)),
      },
      program: { id: newId('prg'), terms },
    },
    secretKey: secretKey.key,
    publicKey: publicKey.key,
  };
}

/** The owner of a new merchant in the console: an existing user, or a new one. */
export type NewOwner = { userId: string } | { newUser: NewUser };

/**
 * Creates a merchant without an owner, with its first keys, signing key and program, in one transaction.
 * @throws UnknownTimeZone
 */
export async function insertMerchant(database: Database, merchant: NewMerchant): Promise<void> {
  await requireTimeZone(database, merchant.timezone);
  await database.$transaction(async (tx) => {
    await insertMerchantIn(tx, merchant);
    await audit(tx, { merchantId: merchant.id, subjectId: merchant.id });
  });
}

/**
 * The same within a transaction, with an owner if one is given.
 * @throws LimitReached when the owner belongs to as many merchants as a user may
 * @throws when the e-mail of a new owner is taken, see `isEmailTaken`
 */
export async function insertMerchantIn(
  tx: Transaction,
  merchant: NewMerchant,
  owner?: NewOwner,
): Promise<void> {
  const { id, liveMerchantId, name, timezone, sealedIdentitySecret, keys, signingKey, program } = merchant;
  await tx.merchant.create({
    data: {
      id,
      mode: modeOf(id),
      liveMerchantId: liveMerchantId ?? null,
      name,
      timezone,
      identitySecret: sealedIdentitySecret,
    },
    select: { id: true },
  });
  await tx.apiKey.createMany({ data: keys });
  await insertSigningKey(tx, { ...signingKey, merchantId: id, promotedAt: await readTime(tx) });
  await insertFirstProgram(tx, id, program);
  if (!owner) return;
  if ('newUser' in owner) await insertUser(tx, owner.newUser);
  const userId = 'newUser' in owner ? owner.newUser.id : owner.userId;
  await addMembership(tx, { merchantId: id, userId, role: 'owner' });
}
