import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';
import { insertAccountMail } from './account-mails.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';

/** Days until the link in the mail expires. */
const validDays = 7;

/**
 * Changes the address that a merchant's notices are mailed to, within a transaction that has locked the merchant; null
 * ends the mails. A `verified` address is used at once. To any other a link is mailed, and until it is opened notices go
 * to the address before.
 */
export async function updateContact(
  tx: Queryable,
  merchantId: string,
  { email, verified }: { email: string | null; verified: boolean },
): Promise<void> {
  const [stored] = await tx.query<{ contactEmail: string | null; pendingEmail: string | null }>(
    `SELECT m.contact_email AS "contactEmail", c.email AS "pendingEmail"
     FROM merchants m LEFT JOIN contact_confirmations c ON c.merchant_id = m.id
     WHERE m.id = $1`,
    [merchantId],
  );
  if (!stored) throw new Error(`the merchant ${merchantId} does not exist`);
  if (email === null || verified || stored.contactEmail === email) {
    await tx.execute('DELETE FROM contact_confirmations WHERE merchant_id = $1', [merchantId]);
    await tx.execute('UPDATE merchants SET contact_email = $2 WHERE id = $1', [merchantId, email]);
    return;
  }
  // Saving the form again sends no second mail.
  if (stored.pendingEmail === email) return;
  await tx.execute(
    `INSERT INTO contact_confirmations (merchant_id, email, token_sha256, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(days => $4::int))
     ON CONFLICT (merchant_id) DO UPDATE
     SET email = excluded.email, token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at`,
    [merchantId, email, newLinkToken().tokenSha256, validDays],
  );
  await insertAccountMail(tx, { kind: 'contact_confirmation', recipient: email, merchantId });
}

/** Mails the link again. False when no address is to be confirmed. */
export function resendContactConfirmation(database: Database, merchantId: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const recipient = await findPendingContact(tx, merchantId);
    if (recipient === undefined) return false;
    await insertAccountMail(tx, { kind: 'contact_confirmation', recipient, merchantId });
    await audit(tx);
    return true;
  });
}

/** The contact address of a merchant that is not confirmed yet, or undefined. */
export async function findPendingContact(
  database: Queryable,
  merchantId: string,
): Promise<string | undefined> {
  const [pending] = await database.query<{ email: string }>(
    'SELECT email FROM contact_confirmations WHERE merchant_id = $1',
    [merchantId],
  );
  return pending?.email;
}

/**
 * Makes a new link that confirms an address, `/contact-confirmations/<token>`; the previous one becomes invalid.
 * Undefined when the address no longer has to be confirmed.
 */
export async function renewContactConfirmation(
  database: Queryable,
  { merchantId, email }: { merchantId: string; email: string },
): Promise<{ path: string; merchantName: string } | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const [renewed] = await database.query<{ merchantName: string }>(
    `UPDATE contact_confirmations c
     SET token_sha256 = $1, expires_at = now() + make_interval(days => $2::int)
     FROM merchants m
     WHERE c.merchant_id = $3 AND c.email = $4 AND m.id = c.merchant_id
     RETURNING m.name AS "merchantName"`,
    [tokenSha256, validDays, merchantId, email],
  );
  return renewed && { path: `/contact-confirmations/${token}`, ...renewed };
}

/** An address to be confirmed. `expiresAt` is ISO 8601 in UTC. */
export interface ContactConfirmation {
  email: string;
  merchantName: string;
  expiresAt: string;
}

/** The address that a link confirms; undefined when the link has expired or was used. */
export async function findContactConfirmation(
  database: Queryable,
  token: string,
): Promise<ContactConfirmation | undefined> {
  const [found] = await database.query<ContactConfirmation>(
    `SELECT c.email, m.name AS "merchantName", rules.iso_utc(c.expires_at) AS "expiresAt"
     FROM contact_confirmations c JOIN merchants m ON m.id = c.merchant_id
     WHERE c.token_sha256 = $1 AND c.expires_at > now()`,
    [hashLinkToken(token)],
  );
  return found;
}

/** Confirms an address by a link, once: notices go there from now on. False when the link has expired or was used. */
export function confirmContact(database: Database, token: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const tokenSha256 = hashLinkToken(token);
    // Locks the merchant first, as a change of the address does.
    const [locked] = await tx.query<{ id: string }>(
      `SELECT id FROM merchants
       WHERE id = (SELECT merchant_id FROM contact_confirmations WHERE token_sha256 = $1)
       FOR NO KEY UPDATE`,
      [tokenSha256],
    );
    if (!locked) return false;
    const merchantId = locked.id;
    const [confirmed] = await tx.query<{ email: string }>(
      `DELETE FROM contact_confirmations
       WHERE merchant_id = $1 AND token_sha256 = $2 AND expires_at > now()
       RETURNING email`,
      [merchantId, tokenSha256],
    );
    if (!confirmed) return false;
    const { email } = confirmed;
    await tx.execute('UPDATE merchants SET contact_email = $2 WHERE id = $1', [merchantId, email]);
    await audit(tx, { merchantId, subjectId: merchantId });
    return true;
  });
}
