import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';

/** Minutes that a link is good for. */
const goodMinutes = 60;

/** The path of the link on the console, `/password-resets/<token>`, and until when it is good, ISO 8601 in UTC. */
export interface PasswordResetLink {
  path: string;
  expiresAt: string;
}

/**
 * Makes a link by which the user with this e-mail, in lower case, sets a password anew, once; one made before ends.
 * Undefined when there is no such user.
 */
export async function upsertPasswordReset(
  database: Database,
  email: string,
): Promise<PasswordResetLink | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  const [opened] = await database.query<{ expiresAt: string }>(
    `INSERT INTO password_resets (user_id, token_sha256, expires_at)
    SELECT id, $1, now() + make_interval(mins => $2::int) FROM users WHERE email = $3
    ON CONFLICT (user_id) DO UPDATE SET token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at
    RETURNING rules.iso_utc(expires_at) AS "expiresAt"`,
    [tokenSha256, goodMinutes, email],
  );
  return opened && { path: `/password-resets/${token}`, expiresAt: opened.expiresAt };
}

/** Whose password a link sets, as long as it is good. */
export async function findPasswordReset(
  database: Database,
  token: string,
): Promise<{ email: string; expires_at: string } | undefined> {
  const [found] = await database.query<{ email: string; expires_at: string }>(
    `SELECT u.email, rules.iso_utc(r.expires_at) AS expires_at
    FROM password_resets r JOIN users u ON u.id = r.user_id
    WHERE r.token_sha256 = $1 AND r.expires_at > now()`,
    [hashLinkToken(token)],
  );
  return found;
}

/** Sets the password by a link, once, and ends all sessions of the user. False when the link is not good any more. */
export function resetPassword(database: Database, token: string, passwordHash: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const [used] = await tx.query<{ userId: string }>(
      `DELETE FROM password_resets WHERE token_sha256 = $1 AND expires_at > now()
      RETURNING user_id AS "userId"`,
      [hashLinkToken(token)],
    );
    if (!used) return false;
    await tx.execute('UPDATE users SET password_hash = $2 WHERE id = $1', [used.userId, passwordHash]);
    await tx.execute('DELETE FROM sessions WHERE user_id = $1', [used.userId]);
    return true;
  });
}
