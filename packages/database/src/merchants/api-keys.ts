import { describeApiKey, generateApiKey, hashApiKey, modeOf, newId } from '@rewardhook/contract';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import type { KeyKind } from '../states.ts';
import { accountLimitReached, accountLimits } from './account-limits.ts';
import { lockMerchant } from './merchants.ts';

/** The key of a request, with its merchant. */
export interface KeyOwner {
  keyId: string;
  merchantId: string;
  kind: KeyKind;
  timezone: string;
}

/** Finds a key that is not revoked by its SHA-256; undefined when there is none. */
export async function findKeyOwner(database: Database, sha256: Uint8Array): Promise<KeyOwner | undefined> {
  const [owner] = await database.query<KeyOwner>(
    `SELECT k.id AS "keyId", k.merchant_id AS "merchantId", k.kind, m.timezone
     FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
     WHERE k.sha256 = $1 AND k.revoked_at IS NULL`,
    [sha256],
  );
  return owner;
}

/** What is stored of a key: of a secret one only the SHA-256, the prefix and the last four characters. */
export interface NewApiKey {
  id: string;
  merchantId: string;
  kind: KeyKind;
  name: string;
  sha256: Uint8Array;
  prefix: string;
  lastFour: string;
  /** The key itself; null for a secret key. */
  publicValue: string | null;
  /** The id of the user who created it, or `operator`. */
  createdBy: string;
}

/**
 * Generates a key of the merchant's side: its text, to be shown once, and the row to store. A public key is stored in full: it is no secret.
 * `createdBy` is the id of a user, or `operator`.
 */
export function newApiKey(
  merchantId: string,
  kind: KeyKind,
  name: string,
  createdBy: string,
): { key: string; row: NewApiKey } {
  const key = generateApiKey(kind, modeOf(merchantId));
  const row = {
    id: newId('key'),
    merchantId,
    kind,
    name,
    createdBy,
    sha256: hashApiKey(key),
    ...describeApiKey(key),
    publicValue: kind === 'public' ? key : null,
  };
  return { key, row };
}

/** Inserts a key without checking limits or permissions. */
export async function insertApiKeyRow(tx: Queryable, key: NewApiKey): Promise<void> {
  await tx.execute(
    `INSERT INTO api_keys (id, merchant_id, kind, name, sha256, prefix, last_four, public_value, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      key.id,
      key.merchantId,
      key.kind,
      key.name,
      key.sha256,
      key.prefix,
      key.lastFour,
      key.publicValue,
      key.createdBy,
    ],
  );
}

/**
 * Adds a key to an existing merchant. Returns false when the user who creates it may no longer do so. Their
 * membership is locked, so that a concurrent removal from the team, which may revoke their keys, runs before or
 * after.
 * @throws LimitReached when the merchant has reached its limit of keys
 */
export function insertApiKey(database: Database, key: NewApiKey): Promise<boolean> {
  return transact(database, async (tx) => {
    await lockMerchant(tx, key.merchantId);
    if (key.createdBy !== 'operator') {
      const [membership] = await tx.query<{ role: string }>(
        'SELECT role FROM memberships WHERE merchant_id = rules.live_merchant($1) AND user_id = $2 FOR SHARE',
        [key.merchantId, key.createdBy],
      );
      if (!membership || membership.role === 'viewer') return false;
    }
    const [live] = await tx.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM api_keys WHERE merchant_id = $1 AND revoked_at IS NULL',
      [key.merchantId],
    );
    if ((live?.count ?? 0) >= accountLimits.apiKeys) throw accountLimitReached('apiKeys');
    await insertApiKeyRow(tx, key);
    await audit(tx, { subjectId: key.id, details: { kind: key.kind } });
    return true;
  });
}

/** Who created a key; null when that is unknown or the user no longer exists. */
export type KeyCreator = 'operator' | { userId: string; email: string } | null;

/** Lists a merchant's keys, newest first, without their hashes. */
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

/** Revokes a key. Returns false when the merchant has no such key that is not revoked. */
export function revokeApiKey(database: Database, merchantId: string, id: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const revoked = await tx.execute(
      'UPDATE api_keys SET revoked_at = now() WHERE merchant_id = $1 AND id = $2 AND revoked_at IS NULL',
      [merchantId, id],
    );
    if (revoked === 1) await audit(tx, { subjectId: id });
    return revoked === 1;
  });
}

/** Records that keys are in use; at most once a minute for each key. */
export async function updateApiKeysLastUsed(database: Database, ids: string[]): Promise<void> {
  await database.execute(
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = ANY ($1) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [ids],
  );
}
