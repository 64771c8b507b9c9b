import type { ProgramRule } from '@rewardhook/rewards';
import { insertApiKey } from './api-keys.ts';
import type { NewApiKey } from './api-keys.ts';
import { mergeChanges } from '../client/edit-conflict.ts';
import type { Database, PrismaTransaction } from '../client/client.ts';
import { updateContact } from '../accounts/contact-confirmations.ts';
import { addMembership } from '../accounts/memberships.ts';
import { insertUser } from '../accounts/users.ts';
import type { NewUser } from '../accounts/users.ts';
import { lockMerchant } from './lock-merchant.ts';
import { requireTimeZone } from './time-zones.ts';

export interface NewMerchant {
  id: string;
  name: string;
  timezone: string;
  sealedIdentitySecret: string;
  keys: NewApiKey[];
  signingKey: { id: string; sealedSecret: string };
  program: { id: string; rule: ProgramRule };
}

/** Who owns a new merchant in the console: somebody known, or a new user. */
export type NewOwner = { userId: string } | { newUser: NewUser };

/**
 * Creates a merchant with its first keys, signing key, program and owner if one is given, all or nothing.
 * @throws UnknownTimeZone; and when the e-mail of a new owner is taken, see `isEmailTaken`
 */
export async function insertMerchant(
  database: Database,
  merchant: NewMerchant,
  owner?: NewOwner,
): Promise<void> {
  await requireTimeZone(database, merchant.timezone);
  await database.$transaction((tx) => insertMerchantIn(tx, merchant, owner));
}

/**
 * The same within a transaction.
 * @throws LimitReached when the owner belongs to as many merchants as a user may
 */
export async function insertMerchantIn(
  tx: PrismaTransaction,
  merchant: NewMerchant,
  owner?: NewOwner,
): Promise<void> {
  const { id, name, timezone, signingKey, program } = merchant;
  const rule: object = program.rule;
  await tx.merchant.create({ data: { id, name, timezone, identitySecret: merchant.sealedIdentitySecret } });
  for (const key of merchant.keys) await insertApiKey(tx, key);
  await tx.signingKey.create({
    data: { id: signingKey.id, merchantId: id, secret: signingKey.sealedSecret, promotedAt: new Date() },
  });
  await tx.program.create({ data: { merchantId: id, id: program.id } });
  await tx.programVersion.create({
    data: { merchantId: id, version: 1, programId: program.id, rule },
  });
  if (!owner) return;
  if ('newUser' in owner) await insertUser(tx, owner.newUser);
  const userId = 'newUser' in owner ? owner.newUser.id : owner.userId;
  await addMembership(tx, { merchantId: id, userId, role: 'owner' });
}

/** The merchant, or undefined. Nothing secret is read. */
export async function findMerchant(database: Database, merchantId: string) {
  return (
    (await database.merchant.findUnique({ where: { id: merchantId }, omit: { identitySecret: true } })) ??
    undefined
  );
}

/** The sealed key of the merchant's `user_hash`. */
export async function findIdentitySecret(
  database: Database,
  merchantId: string,
): Promise<string | undefined> {
  return (await findLinkingSettings(database, merchantId))?.identitySecret;
}

/** How a merchant's members are linked. */
export interface LinkingSettings {
  /** Sealed. */
  identitySecret: string;
  landingUrl: string | null;
  allowedOrigins: string[];
  requireUserHash: boolean;
  attributionDays: number;
}

/** How the merchant's members are linked, or undefined for an unknown merchant. */
export async function findLinkingSettings(
  database: Database,
  merchantId: string,
): Promise<LinkingSettings | undefined> {
  const found = await database.merchant.findUnique({
    where: { id: merchantId },
    select: {
      identitySecret: true,
      landingUrl: true,
      allowedOrigins: true,
      requireUserHash: true,
      attributionDays: true,
    },
  });
  return found ?? undefined;
}

export type LinkingChanges = Partial<Omit<LinkingSettings, 'identitySecret'>>;

/**
 * Changes what is given of how a merchant's members are linked, as `mergeChanges` says. Returns false for an unknown
 * merchant.
 * @throws EditConflict
 */
export function updateLinkingSettings(
  database: Database,
  merchantId: string,
  changes: LinkingChanges,
  base?: LinkingChanges,
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const merchant = await lockAndRead(tx, merchantId);
    if (!merchant) return false;
    await tx.merchant.update({ where: { id: merchantId }, data: mergeChanges(merchant, changes, base) });
    return true;
  });
}

export interface MerchantChanges {
  name?: string;
  timezone?: string;
  /** The address that notices are to go to: it counts once it is confirmed. */
  contactEmail?: string | null;
}

/**
 * Changes what is given of the merchant itself, as `mergeChanges` says; a contact address that waits for its
 * confirmation counts as the stored one there. `verifiedEmail` is an address that needs no confirmation. Returns false
 * for an unknown merchant. A time zone that is the one of `base` stays as it is, whether it is known or not.
 * @throws EditConflict, UnknownTimeZone
 */
export async function updateMerchant(
  database: Database,
  merchantId: string,
  changes: MerchantChanges,
  { base, verifiedEmail }: { base?: MerchantChanges | undefined; verifiedEmail: string },
): Promise<boolean> {
  if (changes.timezone !== undefined && changes.timezone !== base?.timezone)
    await requireTimeZone(database, changes.timezone);
  return database.$transaction(async (tx) => {
    const merchant = await lockAndRead(tx, merchantId);
    if (!merchant) return false;
    const pending = await tx.contactConfirmation.findUnique({ where: { merchantId } });
    const stored: MerchantChanges = {
      name: merchant.name,
      timezone: merchant.timezone,
      contactEmail: pending?.email ?? merchant.contactEmail,
    };
    const { contactEmail, ...others } = mergeChanges(stored, changes, base);
    await tx.merchant.update({ where: { id: merchantId }, data: others });
    if (contactEmail !== undefined)
      await updateContact(tx, merchantId, { email: contactEmail, verified: contactEmail === verifiedEmail });
    return true;
  });
}

/** The merchant as it is once nobody else changes it. */
async function lockAndRead(tx: PrismaTransaction, merchantId: string) {
  await lockMerchant(tx, merchantId);
  return tx.merchant.findUnique({ where: { id: merchantId } });
}
