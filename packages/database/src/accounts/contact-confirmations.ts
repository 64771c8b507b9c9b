import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { isoOf, readTime, secondsAfter } from '../client/database-clock.ts';
import { insertAccountMail } from './account-mails.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';

/** Seconds until the link in the mail expires. */
const validSeconds = 7 * 86_400;

/**
 * Changes the address that a merchant's notices are mailed to, within a transaction that has locked the merchant; null
 * ends the mails. A `verified` address is used at once. To any other a link is mailed, and until it is opened notices go
 * to the address before.
 */
export async function updateContact(
  tx: Transaction,
  merchantId: string,
  { email, verified }: { email: string | null; verified: boolean },
): Promise<void> {
  const stored = await tx.merchant.findUniqueOrThrow({
    where: { id: merchantId },
    select: { contactEmail: true, contactConfirmation: { select: { email: true } } },
  });
  if (email === null || verified || stored.contactEmail === email) {
    await tx.contactConfirmation.deleteMany({ where: { merchantId } });
    await tx.merchant.updateMany({ where: { id: merchantId }, data: { contactEmail: email } });
    return;
  }
  // Saving the form again sends no second mail.
  if (stored.contactConfirmation?.email === email) return;
  const expiresAt = secondsAfter(await readTime(tx), validSeconds);
  const pending = { email, tokenSha256: newLinkToken().tokenSha256, expiresAt };
  await tx.contactConfirmation.upsert({
    where: { merchantId },
    create: { merchantId, ...pending },
    update: pending,
  });
  await insertAccountMail(tx, { kind: 'contact_confirmation', recipient: email, merchantId });
}

/** Mails the link again. False when no address is to be confirmed. */
export function resendContactConfirmation(database: Database, merchantId: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const recipient = await findPendingContact(tx, merchantId);
    if (recipient === undefined) return false;
    await insertAccountMail(tx, { kind: 'contact_confirmation', recipient, merchantId });
    await audit(tx);
    return true;
  });
}

/** The contact address of a merchant that is not confirmed yet, or undefined. */
export async function findPendingContact(
  prisma: Transaction,
  merchantId: string,
): Promise<string | undefined> {
  const pending = await prisma.contactConfirmation.findUnique({ where: { merchantId } });
  return pending?.email;
}

/**
 * Makes a new link that confirms an address, `/contact-confirmations/<token>`; the previous one becomes invalid.
 * Undefined when the address no longer has to be confirmed.
 */
export async function renewContactConfirmation(
  database: Database,
  { merchantId, email }: { merchantId: string; email: string },
): Promise<{ path: string; merchantName: string } | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const expiresAt = secondsAfter(await readTime(database), validSeconds);
  const [renewed] = await database.contactConfirmation.updateManyAndReturn({
    where: { merchantId, email },
    data: { tokenSha256, expiresAt },
    select: { merchant: { select: { name: true } } },
  });
  return renewed && { path: `/contact-confirmations/${token}`, merchantName: renewed.merchant.name };
}

/** An address to be confirmed. `expiresAt` is ISO 8601 in UTC. */
export interface ContactConfirmation {
  email: string;
  merchantName: string;
  expiresAt: string;
}

/** The address that a link confirms; undefined when the link has expired or was used. */
export async function findContactConfirmation(
  database: Database,
  token: string,
): Promise<ContactConfirmation | undefined> {
  const found = await database.contactConfirmation.findUnique({
    where: { tokenSha256: hashLinkToken(token), expiresAt: { gt: await readTime(database) } },
    select: { email: true, expiresAt: true, merchant: { select: { name: true } } },
  });
  return found
    ? { email: found.email, merchantName: found.merchant.name, expiresAt: isoOf(found.expiresAt) }
    : undefined;
}

/** Confirms an address by a link, once: notices go there from now on. False when the link has expired or was used. */
export function confirmContact(database: Database, token: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const tokenSha256 = hashLinkToken(token);
    // Locks the merchant first, as a change of the address does.
    const [locked] = await tx.$queryRaw<{ merchantId: string }[]>`
      SELECT id AS "merchantId" FROM merchants
      WHERE id = (SELECT merchant_id FROM contact_confirmations WHERE token_sha256 = ${tokenSha256})
      FOR NO KEY UPDATE`;
    if (!locked) return false;
    const { merchantId } = locked;
    const where = { merchantId, tokenSha256, expiresAt: { gt: await readTime(tx) } };
    const pending = await tx.contactConfirmation.findUnique({ where });
    if (!pending) return false;
    await tx.contactConfirmation.deleteMany({ where });
    await tx.merchant.updateMany({ where: { id: merchantId }, data: { contactEmail: pending.email } });
    await audit(tx, { merchantId, subjectId: merchantId });
    return true;
  });
}
