import { describeApiKey, generateApiKey, hashApiKey, modeOf, newId } from '@rewardhook/contract';
import { hasRight } from '@rewardhook/contract/rights';
import { audit } from '../audit/audited.ts';
import type { Database, Queryable } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';
import type { KeyKind } from '../states.ts';
import { accountLimitReached, accountLimits } from './account-limits.ts';
import { lockMerchant } from './merchants.ts';

/** The key of a request, with its merchant. */
export interface KeyOwner {
  keyId: string;
  merchantId: string;
  kind: KeyKind;
  timezone: string;
  /** Who the merchant can ask while the operator has paused what it sends; null while it is not paused. */
  pauseContact: string | null;
  /** Limits of the merchant: requests per second, and KiB of orders that wait to be stored. 0 is none; null that of the setting. */
  requestsPerSecond: number | null;
  waitingKib: number | null;
}

/**
 * Finds a key that is not revoked by its SHA-256; undefined when there is none. One statement, on the pool of its own that
 * the API has for it.
 */
export async function findKeyOwner(database: Queryable, sha256: Uint8Array): Promise<KeyOwner | undefined> {
  const [owner] = await database.query<KeyOwner>(
    `SELECT k.id AS "keyId", k.merchant_id AS "merchantId", k.kind, m.timezone,
       m.requests_per_second AS "requestsPerSecond", m.waiting_kib AS "waitingKib",
       CASE WHEN live.ingest_paused_at IS NOT NULL THEN live.pause_contact END AS "pauseContact"
     FROM api_keys k JOIN merchants m ON m.id = k.merchant_id
     JOIN merchants live ON live.id = coalesce(m.live_merchant_id, m.id)
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
  sha256: Uint8Array<ArrayBuffer>;
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
    sha256: new Uint8Array(hashApiKey(key)),
    ...describeApiKey(key),
    publicValue: kind === 'public' ? key : null,
  };
  return { key, row };
}

/**
 * Adds a key to an existing merchant. Returns false when the user who creates it may no longer do so. Their
 * membership is locked, so that a concurrent removal from the team, which may revoke their keys, runs before or
 * after.
 * @throws LimitReached when the merchant has reached its limit of keys
 */
export function insertApiKey(database: Database, key: NewApiKey): Promise<boolean> {
  const { merchantId, createdBy } = key;
  return database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    if (createdBy !== 'operator') {
      const [membership] = await tx.$queryRaw<{ role: string }[]>`
        SELECT role FROM memberships
        WHERE merchant_id = rules.live_merchant(${merchantId}) AND user_id = ${createdBy} FOR SHARE`;
      if (!membership || !hasRight(membership.role, 'integrate')) return false;
    }
    const live = await tx.apiKey.count({ where: { merchantId, revokedAt: null } });
    if (live >= accountLimits.apiKeys) throw accountLimitReached('apiKeys');
    await tx.apiKey.create({ data: key });
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
    include: { creator: { select: { id: true, email: true } } },
    // The first keys of a merchant are created together.
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
  });
  return keys.map(({ creator, ...key }) => ({ ...key, createdBy: creatorOf(key.createdBy, creator) }));
}

function creatorOf(createdBy: string | null, user: { id: string; email: string } | null): KeyCreator {
  if (createdBy === 'operator') return 'operator';
  return user && { userId: user.id, email: user.email };
}

/** Revokes a key. Returns false when the merchant has no such key that is not revoked. */
export function revokeApiKey(database: Database, merchantId: string, id: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const revoked = await tx.apiKey.updateMany({
      where: { merchantId, id, revokedAt: null },
      data: { revokedAt: await readTime(tx) },
    });
    if (revoked.count === 0) return false;
    await audit(tx, { subjectId: id });
    return true;
  });
}

/** Records that keys are in use; at most once a minute for each key. */
export async function updateApiKeysLastUsed(database: Queryable, ids: string[]): Promise<void> {
  await database.execute(
    `UPDATE api_keys SET last_used_at = now()
     WHERE id = ANY ($1) AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [ids],
  );
}
