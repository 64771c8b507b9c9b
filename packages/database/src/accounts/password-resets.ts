import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database } from '../client/client.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';

/** Minutes until a link expires. */
const validMinutes = 60;

/** The path of the link on the console, `/password-resets/<token>`, and when it expires, ISO 8601 in UTC. */
export interface PasswordResetLink {
  path: string;
  expiresAt: string;
}

/**
 * Makes a link by which the user with this e-mail address, in lower case, can set a new password once. The previous
 * link becomes invalid. Undefined when there is no such user.
 */
export function upsertPasswordReset(
  database: Database,
  email: string,
): Promise<PasswordResetLink | undefined> {
  const { token, tokenSha256 } = newLinkToken();
  return transact(database, async (tx) => {
    const [stored] = await tx.query<{ expiresAt: string; userId: string }>(
      `INSERT INTO password_resets (user_id, token_sha256, expires_at)
       SELECT id, $1, now() + make_interval(mins => $2::int) FROM users WHERE email = $3
       ON CONFLICT (user_id) DO UPDATE SET token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at
       RETURNING rules.iso_utc(expires_at) AS "expiresAt", user_id AS "userId"`,
      [tokenSha256, validMinutes, email],
    );
    if (!stored) return undefined;
    await audit(tx, { subjectId: stored.userId });
    return { path: `/password-resets/${token}`, expiresAt: stored.expiresAt };
  });
}

/** The user whose password a link sets; undefined when the link has expired or was used. */
export async function findPasswordReset(
  database: Database,
  token: string,
): Promise<{ email: string; expiresAt: string } | undefined> {
  const [found] = await database.query<{ email: string; expiresAt: string }>(
    `SELECT u.email, rules.iso_utc(r.expires_at) AS "expiresAt"
     FROM password_resets r JOIN users u ON u.id = r.user_id
     WHERE r.token_sha256 = $1 AND r.expires_at > now()`,
    [hashLinkToken(token)],
  );
  return found;
}

/** Sets the password by a link, once, and ends all sessions of the user. False when the link has expired or was used. */
export function resetPassword(database: Database, token: string, passwordHash: string): Promise<boolean> {
  return transact(database, async (tx) => {
    const [used] = await tx.query<{ userId: string; email: string }>(
      `DELETE FROM password_resets WHERE token_sha256 = $1 AND expires_at > now()
       RETURNING user_id AS "userId", (SELECT email FROM users WHERE id = user_id) AS email`,
      [hashLinkToken(token)],
    );
    if (!used) return false;
    const { userId: id, email } = used;
    await tx.execute('UPDATE users SET password_hash = $2 WHERE id = $1', [used.userId, passwordHash]);
    await tx.execute('DELETE FROM sessions WHERE user_id = $1', [used.userId]);
    await audit(tx, { actor: { kind: 'user', id, email }, subjectId: id });
    return true;
  });
}
