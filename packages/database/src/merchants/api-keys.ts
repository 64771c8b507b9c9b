import { accountLimitReached, accountLimits } from './account-limits.ts';
import type { Database, PrismaTransaction } from '../client/client.ts';
import { lockMerchant } from './lock-merchant.ts';

/** Whom an API key belongs to. */
export interface KeyOwner {
  keyId: string;
  merchantId: string;
  kind: 'secret' | 'public';
  timezone: string;
}

/** The owner of a live key, by the key's SHA-256; undefined when it is unknown or revoked. */
export async function findKeyOwner(database: Database, sha256: Uint8Array): Promise<KeyOwner | undefined> {
  const [owner] = await database.$queryRaw<KeyOwner[]>`
    SELECT k.id AS "keyId", k.merchant_id AS "merchantId", k.kind, m.timezone
    FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
    WHERE k.sha256 = ${sha256} AND k.revoked_at IS NULL`;
  return owner;
}

export interface NewApiKey {
  id: string;
  merchantId: string;
  kind: 'secret' | 'public';
  name: string;
  sha256: Uint8Array;
  prefix: string;
  lastFour: string;
  /** The key itself, of a public one only. */
  publicValue: string | null;
  /** The id of the user who created it, or `operator`. */
  createdBy: string;
}

/** Stores a key; of a secret one only the SHA-256, its prefix and its last four characters. */
export async function insertApiKey(database: PrismaTransaction, key: NewApiKey): Promise<void> {
  await database.apiKey.create({ data: { ...key, sha256: Uint8Array.from(key.sha256) } });
}

/**
 * Adds a key to a merchant that exists. False when the user who creates it may not do so any more: their membership is
 * locked, so that of a key and a removal from the team that revokes keys one sees the other.
 * @throws LimitReached when the merchant has as many as it may
 */
export function addApiKey(database: Database, key: NewApiKey): Promise<boolean> {
  return database.$transaction(async (tx) => {
    await lockMerchant(tx, key.merchantId);
    if (key.createdBy !== 'operator') {
      const [member] = await tx.$queryRaw<{ role: string }[]>`
        SELECT role FROM memberships WHERE merchant_id = ${key.merchantId} AND user_id = ${key.createdBy} FOR SHARE`;
      if (!member || member.role === 'viewer') return false;
    }
    const live = await tx.apiKey.count({ where: { merchantId: key.merchantId, revokedAt: null } });
    if (live >= accountLimits.apiKeys) throw accountLimitReached('apiKeys');
    await insertApiKey(tx, key);
    return true;
  });
}

/** Who created a key: a user of the console, or the operator. Null where it was not recorded. */
export type KeyCreator = { userId: string; email: string } | 'operator' | null;

/** A merchant's keys, newest first, with who created them and without anything secret. */
export async function listApiKeys(database: Database, merchantId: string) {
  const keys = await database.apiKey.findMany({
    where: { merchantId },
    omit: { sha256: true, merchantId: true },
    orderBy: { createdAt: 'desc' },
  });
  const ids = keys.flatMap(({ createdBy }) => (createdBy === null ? [] : [createdBy]));
  const users = await database.user.findMany({
    where: { id: { in: [...new Set(ids)] } },
    select: { id: true, email: true },
  });
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  return keys.map((key) => ({ ...key, createdBy: creatorOf(key.createdBy, emails) }));
}

function creatorOf(createdBy: string | null, emails: Map<string, string>): KeyCreator {
  if (createdBy === 'operator') return 'operator';
  const email = createdBy === null ? undefined : emails.get(createdBy);
  return createdBy === null || email === undefined ? null : { userId: createdBy, email };
}

/** Revokes a key. Returns false when the merchant has no such live key. */
export async function revokeApiKey(database: Database, merchantId: string, id: string): Promise<boolean> {
  const { count } = await database.apiKey.updateMany({
    where: { merchantId, id, revokedAt: null },
    data: { revokedAt: new Date() },
  });
  return count === 1;
}

/** Notes that keys are in use now. Of one that was noted less than a minute ago nothing is written. */
export async function updateApiKeysLastUsed(database: Database, ids: string[]): Promise<void> {
  await database.$executeRaw`
    UPDATE api_keys SET last_used_at = now()
    WHERE id = ANY (${ids}) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;
}
