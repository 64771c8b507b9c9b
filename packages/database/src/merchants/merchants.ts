import { updateContact } from '../accounts/contact-confirmations.ts';
import { redactUrl } from '@rewardhook/contract';
import { audit, changesOf } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { mergeChanges } from '../client/edit-conflict.ts';
import { requireTimeZone } from './time-zones.ts';

/**
 * Locks a merchant until the transaction ends: of two concurrent changes the second waits, and its next statement reads
 * what the first has written. To be called before any other row of the merchant is locked.
 */
export async function lockMerchant(tx: Queryable, merchantId: string): Promise<void> {
  await tx.execute('SELECT 1 FROM merchants WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
}

/** Finds a merchant, without its secrets; undefined when there is none. */
export async function findMerchant(database: Database, merchantId: string) {
  const found = await database.merchant.findUnique({
    where: { id: merchantId },
    omit: { identitySecret: true, idSalt: true, feedFingerprint: true },
  });
  return found ?? undefined;
}

/** A merchant in a list, with the e-mail addresses of its owners. */
export interface ListedMerchant {
  id: string;
  name: string;
  timezone: string;
  createdAt: Date;
  owners: string[];
}

/** $1 part of the name, or null; $2 e-mail address of a user, or null; $3 limit. */
const listMerchantsSql = `
  SELECT m.id, m.name, m.timezone, m.created_at AS "createdAt",
    ARRAY(
      SELECT u.email FROM memberships s JOIN users u ON u.id = s.user_id
      WHERE s.merchant_id = m.id AND s.role = 'owner' ORDER BY u.email) AS owners
  FROM merchants m
  WHERE m.mode = 'live'
    AND ($1::text IS NULL OR position(lower($1) IN lower(m.name)) > 0)
    AND ($2::text IS NULL OR EXISTS (
      SELECT 1 FROM memberships s JOIN users u ON u.id = s.user_id
      WHERE s.merchant_id = m.id AND u.email = $2))
  ORDER BY m.created_at DESC, m.id LIMIT $3`;

/** Lists live merchants, newest first: those whose name contains a text, and those of a user. */
export function listMerchants(
  database: Queryable,
  { name, email }: { name?: string | undefined; email?: string | undefined },
  limit: number,
): Promise<ListedMerchant[]> {
  return database.query<ListedMerchant>(listMerchantsSql, [name ?? null, email ?? null, limit]);
}

/** Finds the sealed secret that keys the `user_hash` of the merchant's boot calls. */
export async function findIdentitySecret(
  database: Database,
  merchantId: string,
): Promise<string | undefined> {
  return (await findLinkingSettings(database, merchantId))?.identitySecret;
}

/** The settings for linking a merchant's members: share links and boot calls. */
export interface LinkingSettings {
  /** Sealed. */
  identitySecret: string;
  landingUrl: string | null;
  allowedOrigins: string[];
  requireUserHash: boolean;
  attributionDays: number;
}

const selectLinkingSettings = `
  SELECT identity_secret AS "identitySecret", landing_url AS "landingUrl", allowed_origins AS "allowedOrigins",
    require_user_hash AS "requireUserHash", attribution_days AS "attributionDays"
  FROM merchants WHERE id = $1`;

/** Finds the linking settings; undefined for an unknown merchant. */
export async function findLinkingSettings(
  database: Queryable,
  merchantId: string,
): Promise<LinkingSettings | undefined> {
  const [settings] = await database.query<LinkingSettings>(selectLinkingSettings, [merchantId]);
  return settings;
}

export type LinkingChanges = Partial<Omit<LinkingSettings, 'identitySecret'>>;

/**
 * Updates the given linking settings, merged with concurrent changes as in `mergeChanges`. Returns false for an unknown
 * merchant.
 * @throws EditConflict
 */
export function updateLinkingSettings(
  database: Database,
  merchantId: string,
  changes: LinkingChanges,
  base?: LinkingChanges,
): Promise<boolean> {
  return transact(database, async (tx) => {
    await lockMerchant(tx, merchantId);
    const stored = await findLinkingSettings(tx, merchantId);
    if (!stored) return false;
    const settings = { ...stored, ...mergeChanges(stored, changes, base) };
    await audit(tx, {
      subjectId: merchantId,
      details: { changes: changesOf(audible(stored), audible(settings)) },
    });
    await tx.execute(
      `UPDATE merchants SET landing_url = $2, allowed_origins = $3, require_user_hash = $4, attribution_days = $5
       WHERE id = $1`,
      [
        merchantId,
        settings.landingUrl,
        settings.allowedOrigins,
        settings.requireUserHash,
        settings.attributionDays,
      ],
    );
    return true;
  });
}

/** The settings as the audit records them: a URL without the parts that may contain secrets. */
const audible = ({ identitySecret: _secret, landingUrl, ...settings }: LinkingSettings) => ({
  ...settings,
  landingUrl: landingUrl === null ? null : redactUrl(landingUrl).address,
});

export interface MerchantChanges {
  name?: string;
  timezone?: string;
  /** The address that notices are mailed to, once it is confirmed. */
  contactEmail?: string | null;
}

/**
 * Updates the given fields of a merchant, merged with concurrent changes as in `mergeChanges`; there a contact address
 * that is not confirmed yet counts as the stored one. `verifiedEmail` is an address that needs no confirmation. A time
 * zone that equals the one in `base` is not checked. Returns false for an unknown merchant.
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
  return transact(database, async (tx) => {
    await lockMerchant(tx, merchantId);
    const [stored] = await tx.query<Required<MerchantChanges>>(
      `SELECT m.name, m.timezone, coalesce(c.email, m.contact_email) AS "contactEmail"
       FROM merchants m LEFT JOIN contact_confirmations c ON c.merchant_id = m.id
       WHERE m.id = $1`,
      [merchantId],
    );
    if (!stored) return false;
    const merged: MerchantChanges = mergeChanges<MerchantChanges>(stored, changes, base);
    const { name = stored.name, timezone = stored.timezone, contactEmail } = merged;
    // Both sides have the same.
    await tx.execute('UPDATE merchants SET name = $2, timezone = $3 WHERE $1 IN (id, live_merchant_id)', [
      merchantId,
      name,
      timezone,
    ]);
    // The audit records that the contact address was changed, not the address.
    const changed =
      contactEmail !== undefined && contactEmail !== stored.contactEmail ? ['contactEmail'] : [];
    await audit(tx, {
      subjectId: merchantId,
      details: {
        changes: changesOf({ name: stored.name, timezone: stored.timezone }, { name, timezone }),
        changed,
      },
    });
    if (contactEmail !== undefined)
      await updateContact(tx, merchantId, { email: contactEmail, verified: contactEmail === verifiedEmail });
    return true;
  });
}
