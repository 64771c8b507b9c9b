import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { insertMerchantIn } from '../merchants/new-merchant.ts';
import type { NewMerchant } from '../merchants/new-merchant.ts';
import { requireTimeZone } from '../merchants/time-zones.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';
import type { NewUser } from './users.ts';

/** Hours until the link of a sign-up expires. */
const validHours = 24;

/** The path of the link on the console, `/sign-ups/<token>`, and when it expires, ISO 8601 in UTC. */
export interface SignUpLink {
  path: string;
  expiresAt: string;
}

/**
 * Makes a link that verifies the e-mail address, in lower case, of a person who signs up. Earlier links stay valid,
 * so that the link of every mail works. Expired sign-ups are deleted.
 */
export async function insertSignUp(database: Database, email: string): Promise<SignUpLink> {
  const { token, tokenSha256 } = newLinkToken();
  await database.execute('DELETE FROM sign_ups WHERE expires_at <= now()');
  const [inserted] = await database.query<{ expiresAt: string }>(
    `INSERT INTO sign_ups (token_sha256, email, expires_at)
     VALUES ($1, $2, now() + make_interval(hours => $3::int))
     RETURNING rules.iso_utc(expires_at) AS "expiresAt"`,
    [tokenSha256, email, validHours],
  );
  return { path: `/sign-ups/${token}`, expiresAt: inserted?.expiresAt ?? '' };
}

/** The address that a link verifies; undefined when the link has expired or was used. */
export async function findSignUp(
  database: Database,
  token: string,
): Promise<{ email: string; expiresAt: string } | undefined> {
  const [found] = await database.query<{ email: string; expiresAt: string }>(
    `SELECT email, rules.iso_utc(expires_at) AS "expiresAt" FROM sign_ups
     WHERE token_sha256 = $1 AND expires_at > now()`,
    [hashLinkToken(token)],
  );
  return found;
}

/**
 * Completes a sign-up by its link, once: inserts the user and their merchant, and deletes all sign-ups of the
 * address. False when the link has expired, was used, or belongs to another address.
 * @throws UnknownTimeZone
 * @throws when the e-mail address is taken by now, see `isEmailTaken`
 */
export async function completeSignUp(
  database: Database,
  token: string,
  { newUser, merchant }: { newUser: NewUser; merchant: NewMerchant },
): Promise<boolean> {
  await requireTimeZone(database, merchant.timezone);
  return transact(database, async (tx) => {
    const used = await tx.execute(
      'DELETE FROM sign_ups WHERE token_sha256 = $1 AND email = $2 AND expires_at > now()',
      [hashLinkToken(token), newUser.email],
    );
    if (used === 0) return false;
    await tx.execute('DELETE FROM sign_ups WHERE email = $1', [newUser.email]);
    const { id, email } = newUser;
    await insertMerchantIn(tx, merchant, { newUser });
    await audit(tx, { actor: { kind: 'user', id, email }, merchantId: merchant.id, subjectId: id });
    return true;
  });
}
