import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { insertMerchantIn } from '../merchants/merchants.ts';
import type { NewMerchant } from '../merchants/merchants.ts';
import { requireTimeZone } from '../merchants/time-zones.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';
import type { NewUser } from './users.ts';

/** Hours that the link of a sign-up is good for. */
const goodHours = 24;

/** The path of the link on the console, `/sign-ups/<token>`, and until when it is good, ISO 8601 in UTC. */
export interface SignUpLink {
  path: string;
  expiresAt: string;
}

/**
 * Makes the link that verifies the e-mail address, in lower case, of somebody who signs up. Links made before stay
 * good: whichever mail is opened, it works. Those that have expired are removed on the way.
 */
export async function insertSignUp(database: Database, email: string): Promise<SignUpLink> {
  const { token, tokenSha256 } = newLinkToken();
  await database.execute('DELETE FROM sign_ups WHERE expires_at <= now()');
  const [opened] = await database.query<{ expiresAt: string }>(
    `INSERT INTO sign_ups (token_sha256, email, expires_at)
    VALUES ($1, $2, now() + make_interval(hours => $3::int))
    RETURNING rules.iso_utc(expires_at) AS "expiresAt"`,
    [tokenSha256, email, goodHours],
  );
  return { path: `/sign-ups/${token}`, expiresAt: opened?.expiresAt ?? '' };
}

/** Whose address a link verifies, as long as it is good. */
export async function findSignUp(
  database: Database,
  token: string,
): Promise<{ email: string; expires_at: string } | undefined> {
  const [found] = await database.query<{ email: string; expires_at: string }>(
    `SELECT email, rules.iso_utc(expires_at) AS expires_at FROM sign_ups
    WHERE token_sha256 = $1 AND expires_at > now()`,
    [hashLinkToken(token)],
  );
  return found;
}

/**
 * Creates the user and their merchant by a link, once; all open sign-ups of the address end. False when the link is not
 * good any more, or is another address's.
 * @throws UnknownTimeZone; and when the e-mail is taken by now, see `isEmailTaken`
 */
export async function completeSignUp(
  database: Database,
  token: string,
  { newUser, merchant }: { newUser: NewUser; merchant: NewMerchant },
): Promise<boolean> {
  await requireTimeZone(database, merchant.timezone);
  return transact(database, async (tx) => {
    const used = await tx.execute(
      `DELETE FROM sign_ups
      WHERE token_sha256 = $1 AND email = $2 AND expires_at > now()`,
      [hashLinkToken(token), newUser.email],
    );
    if (used === 0) return false;
    await tx.execute('DELETE FROM sign_ups WHERE email = $1', [newUser.email]);
    await insertMerchantIn(tx, merchant, { newUser });
    return true;
  });
}
