import type { Database, Queryable } from './client.ts';

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
}

/** Stores a key; of a secret one only the SHA-256, its prefix and its last four characters. */
export async function insertApiKey(database: Queryable, key: NewApiKey): Promise<void> {
  await database.apiKey.create({ data: { ...key, sha256: Uint8Array.from(key.sha256) } });
}

/** A merchant's keys, newest first, without anything secret. */
export function listApiKeys(database: Database, merchantId: string) {
  return database.apiKey.findMany({
    where: { merchantId },
    omit: { sha256: true, merchantId: true },
    orderBy: { createdAt: 'desc' },
  });
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
export async function touchApiKeys(database: Database, ids: string[]): Promise<void> {
  await database.$executeRaw`
    UPDATE api_keys SET last_used_at = now()
    WHERE id = ANY (${ids}) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;
}
