import type { ProgramRule } from '@rewardhook/rewards';
import { insertApiKey } from './api-keys.ts';
import type { NewApiKey } from './api-keys.ts';
import type { Database } from './client.ts';

export interface NewMerchant {
  id: string;
  name: string;
  timezone: string;
  sealedIdentitySecret: string;
  keys: NewApiKey[];
  signingKey: { id: string; sealedSecret: string };
  program: { id: string; rule: ProgramRule };
}

/** Creates a merchant with its first keys, signing key and program, all or nothing. */
export async function insertMerchant(database: Database, merchant: NewMerchant): Promise<void> {
  await database.$transaction(async (tx) => {
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
  });
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
  return (await findLinking(database, merchantId))?.identitySecret;
}

/** How a merchant's members are linked. */
export interface Linking {
  /** Sealed. */
  identitySecret: string;
  landingUrl: string | null;
  allowedOrigins: string[];
  requireUserHash: boolean;
  attributionDays: number;
}

/** How the merchant's members are linked, or undefined for an unknown merchant. */
export async function findLinking(database: Database, merchantId: string): Promise<Linking | undefined> {
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

/** Changes what is given of how a merchant's members are linked. Returns false for an unknown merchant. */
export async function updateLinking(
  database: Database,
  merchantId: string,
  changes: Partial<Omit<Linking, 'identitySecret'>>,
): Promise<boolean> {
  const { count } = await database.merchant.updateMany({ where: { id: merchantId }, data: changes });
  return count === 1;
}
