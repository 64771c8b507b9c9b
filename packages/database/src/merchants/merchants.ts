import { updateContact } from '../accounts/contact-confirmations.ts';
import { redactUrl } from '@rewardhook/contract';
import { audit, changesOf } from '../audit/audited.ts';
import type { Database, Queryable, Transaction } from '../client/client.ts';
import { mergeChanges } from '../client/edit-conflict.ts';
import { pausable } from './pause-merchant.ts';
import type { Pausable } from './pause-merchant.ts';
import { requireTimeZone } from './time-zones.ts';

/**
 * Locks a merchant until the transaction ends: of two concurrent changes the second waits, and its next statement reads
 * what the first has written. To be called before any other row of the merchant is locked.
 */
export async function lockMerchant(tx: Transaction, merchantId: string): Promise<void> {
  await tx.$executeRaw`SELECT 1 FROM merchants WHERE id = ${merchantId} FOR NO KEY UPDATE`;
}

/** Finds a merchant, without its secrets; undefined when there is none. */
export async function findMerchant(database: Database, merchantId: string) {
  const found = await database.merchant.findUnique({
    where: { id: merchantId },
    omit: { identitySecret: true, idSalt: true, feedFingerprint: true },
  });
  return found ? { ...found, manualRewardLimit: Number(found.manualRewardLimit) } : undefined;
}

/** A merchant in a list, with the e-mail addresses of its owners. */
export interface ListedMerchant {
  id: string;
  name: string;
  timezone: string;
  createdAt: Date;
  owners: string[];
  /** What the operator has paused. */
  paused: Pausable[];
}

/** Lists live merchants, newest first: those whose name contains a text, and those of a user. */
export async function listMerchants(
  database: Database,
  { name, email }: { name?: string | undefined; email?: string | undefined },
  limit: number,
): Promise<ListedMerchant[]> {
  const merchants = await database.merchant.findMany({
    where: {
      mode: 'live',
      ...(name !== undefined && { name: { contains: escapeLike(name), mode: 'insensitive' } }),
      ...(email !== undefined && { memberships: { some: { user: { email } } } }),
    },
    select: {
      id: true,
      name: true,
      timezone: true,
      createdAt: true,
      ingestPausedAt: true,
      deliveryPausedAt: true,
      memberships: { where: { role: 'owner' }, select: { user: { select: { email: true } } } },
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'asc' }],
    take: limit,
  });
  return merchants.map(({ memberships, ingestPausedAt, deliveryPausedAt, ...merchant }) => ({
    ...merchant,
    owners: memberships.map(({ user }) => user.email).toSorted(),
    paused: pausable.filter((part) => (part === 'ingest' ? ingestPausedAt : deliveryPausedAt) !== null),
  }));
}

/** Prisma's `contains` is a pattern of LIKE. */
const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`);

/** Finds the sealed secret that keys the `user_hash` of the merchant's boot calls. */
export async function findIdentitySecret(
  database: Transaction,
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
  /** Whether the merchant declares that it reads its rewards from the feed. */
  usesFeed: boolean;
}

/** Finds the linking settings; undefined for an unknown merchant. */
export async function findLinkingSettings(
  prisma: Transaction,
  merchantId: string,
): Promise<LinkingSettings | undefined> {
  const settings = await prisma.merchant.findUnique({
    where: { id: merchantId },
    select: {
      identitySecret: true,
      landingUrl: true,
      allowedOrigins: true,
      requireUserHash: true,
      attributionDays: true,
      usesFeed: true,
    },
  });
  return settings ?? undefined;
}

/** Limits of a merchant. Of those that replace limits of the settings, null is that of the setting and 0 none: only operators change them. */
export interface MerchantLimits {
  /** Of all its secret keys together. */
  requestsPerSecond: number | null;
  /** KiB of orders that wait to be stored. */
  waitingKib: number | null;
  /** The highest amount of a reward that a person gives or adjusts; both sides have the same. */
  manualRewardLimit: number;
}

export type LinkingChanges = Partial<Omit<LinkingSettings, 'identitySecret'> & MerchantLimits>;

/**
 * Updates the given linking settings and limits, merged with concurrent changes as in `mergeChanges`. Returns false for an unknown
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
    await lockMerchant(tx, merchantId);
    const linking = await findLinkingSettings(tx, merchantId);
    const limits = await tx.merchant.findUnique({
      where: { id: merchantId },
      select: { requestsPerSecond: true, waitingKib: true, manualRewardLimit: true },
    });
    if (!linking || !limits) return false;
    const stored = { ...linking, ...limits, manualRewardLimit: Number(limits.manualRewardLimit) };
    const merged = mergeChanges(stored, changes, base);
    const details = { changes: changesOf(audible(stored), audible({ ...stored, ...merged })) };
    await tx.merchant.updateMany({ where: { id: merchantId }, data: merged });
    const { manualRewardLimit } = merged;
    if (manualRewardLimit !== undefined)
      await tx.merchant.updateMany({ where: { liveMerchantId: merchantId }, data: { manualRewardLimit } });
    await audit(tx, { subjectId: merchantId, details });
    return true;
  });
}

/** The settings as the audit records them: a URL without the parts that may contain secrets. */
const audible = ({ identitySecret: _secret, landingUrl, ...settings }: LinkingSettings & MerchantLimits) => ({
  ...settings,
  landingUrl: landingUrl === null ? null : redactUrl(landingUrl).address,
});

/** Records that merchants have read the feed. */
export async function updateFeedRead(database: Queryable, merchantIds: string[]): Promise<void> {
  await database.execute(
    `UPDATE merchants SET feed_read_at = now()
     WHERE id = ANY ($1) AND (feed_read_at IS NULL OR feed_read_at < now() - interval '1 minute')`,
    [merchantIds],
  );
}

export interface MerchantChanges {
  name?: string;
  timezone?: string;
  /** The address that notices are mailed to, once it is confirmed. */
  contactEmail?: string | null;
  /** As in {@link MerchantLimits}. */
  manualRewardLimit?: number;
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
  return database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    const found = await tx.merchant.findUnique({
      where: { id: merchantId },
      select: {
        name: true,
        timezone: true,
        contactEmail: true,
        contactConfirmation: true,
        manualRewardLimit: true,
      },
    });
    if (!found) return false;
    const { contactConfirmation: pending, ...fields } = found;
    const stored: Required<MerchantChanges> = {
      ...fields,
      contactEmail: pending?.email ?? fields.contactEmail,
      manualRewardLimit: Number(fields.manualRewardLimit),
    };
    const merged: MerchantChanges = mergeChanges<MerchantChanges>(stored, changes, base);
    const { contactEmail: _before, ...before } = stored;
    const { contactEmail, ...given } = merged;
    const after = { ...before, ...given };
    // Both sides have the same.
    await tx.merchant.updateMany({
      where: { OR: [{ id: merchantId }, { liveMerchantId: merchantId }] },
      data: after,
    });
    // The audit records that the contact address was changed, not the address.
    const changed =
      contactEmail !== undefined && contactEmail !== stored.contactEmail ? ['contactEmail'] : [];
    await audit(tx, {
      subjectId: merchantId,
      details: {
        changes: changesOf(before, after),
        changed,
      },
    });
    if (contactEmail !== undefined)
      await updateContact(tx, merchantId, { email: contactEmail, verified: contactEmail === verifiedEmail });
    return true;
  });
}
