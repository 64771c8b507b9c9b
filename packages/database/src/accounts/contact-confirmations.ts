import type { Database, PrismaTransaction } from '../client/client.ts';
import { insertAccountMail } from './account-mails.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';

/** Days that the link in the mail is good for. */
const goodDays = 7;

/**
 * Changes where a merchant's notices are mailed to, within a transaction that has locked the merchant. Null ends them.
 * An address counts at once where it is `verified`; otherwise a link is mailed to it, and until that is opened notices
 * go where they went before.
 */
export async function updateContact(
  tx: PrismaTransaction,
  merchantId: string,
  { email, verified }: { email: string | null; verified: boolean },
): Promise<void> {
  const { contactEmail } = await tx.merchant.findUniqueOrThrow({ where: { id: merchantId } });
  if (email === null || verified || contactEmail === email) {
    await tx.contactConfirmation.deleteMany({ where: { merchantId } });
    await tx.merchant.update({ where: { id: merchantId }, data: { contactEmail: email } });
    return;
  }
  const pending = await tx.contactConfirmation.findUnique({ where: { merchantId } });
  // Saving the form once more asks for no second mail.
  if (pending?.email === email) return;
  await tx.$executeRaw`
    INSERT INTO contact_confirmations (merchant_id, email, token_sha256, expires_at)
    VALUES (${merchantId}, ${email}, ${newLinkToken().tokenSha256}, now() + make_interval(days => ${goodDays}::int))
    ON CONFLICT (merchant_id) DO UPDATE
    SET email = excluded.email, token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`;
  await insertAccountMail(tx, { kind: 'contact_confirmation', recipient: email, merchantId });
}

/** Mails the link once more. False when no address waits for its confirmation. */
export function resendContactConfirmation(database: Database, merchantId: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const pending = await tx.contactConfirmation.findUnique({ where: { merchantId } });
    if (!pending) return false;
    await insertAccountMail(tx, { kind: 'contact_confirmation', recipient: pending.email, merchantId });
    return true;
  });
}

/** The contact address of a merchant that nobody has confirmed yet. */
export async function findPendingContact(
  database: PrismaTransaction,
  merchantId: string,
): Promise<string | undefined> {
  return (await database.contactConfirmation.findUnique({ where: { merchantId } }))?.email;
}

/**
 * Makes the link that confirms an address, `/contact-confirmations/<token>`; one made before ends. Undefined when the
 * address does not wait for its confirmation any more.
 */
export async function renewContactConfirmation(
  database: Database,
  { merchantId, email }: { merchantId: string; email: string },
): Promise<{ path: string; merchantName: string } | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const [opened] = await database.$queryRaw<{ merchantName: string }[]>`
    UPDATE contact_confirmations c
    SET token_sha256 = ${tokenSha256}, expires_at = now() + make_interval(days => ${goodDays}::int)
    FROM merchants m
    WHERE c.merchant_id = ${merchantId} AND c.email = ${email} AND m.id = c.merchant_id
    RETURNING m.name AS "merchantName"`;
  return opened && { path: `/contact-confirmations/${token}`, ...opened };
}

/** What a link confirms, as long as it is good. */
export async function findContactConfirmation(
  database: Database,
  token: string,
): Promise<{ email: string; merchantName: string; expires_at: string } | undefined> {
  const [found] = await database.$queryRaw<{ email: string; merchantName: string; expires_at: string }[]>`
    SELECT c.email, m.name AS "merchantName", rules.iso_utc(c.expires_at) AS expires_at
    FROM contact_confirmations c JOIN merchants m ON m.id = c.merchant_id
    WHERE c.token_sha256 = ${hashLinkToken(token)} AND c.expires_at > now()`;
  return found;
}

/** Confirms an address by a link, once: notices go there from now on. False when the link is not good any more. */
export function confirmContact(database: Database, token: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const tokenSha256 = hashLinkToken(token);
    // The merchant first, as a change of the address locks them.
    const [locked] = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM merchants
      WHERE id = (SELECT merchant_id FROM contact_confirmations WHERE token_sha256 = ${tokenSha256})
      FOR NO KEY UPDATE`;
    if (!locked) return false;
    const merchantId = locked.id;
    const [confirmed] = await tx.$queryRaw<{ email: string }[]>`
      DELETE FROM contact_confirmations
      WHERE merchant_id = ${merchantId} AND token_sha256 = ${tokenSha256} AND expires_at > now() RETURNING email`;
    if (!confirmed) return false;
    const { email } = confirmed;
    await tx.merchant.update({ where: { id: merchantId }, data: { contactEmail: email } });
    return true;
  });
}
