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
  const [opened] = await database.$queryRaw<{ expiresAt: string }[]>`
    INSERT INTO password_resets (user_id, token_sha256, expires_at)
    SELECT id, ${tokenSha256}, now() + make_interval(mins => ${goodMinutes}::int) FROM users WHERE email = ${email}
    ON CONFLICT (user_id) DO UPDATE SET token_sha256 = excluded.token_sha256, expires_at = excluded.expires_at
    RETURNING rules.iso_utc(expires_at) AS "expiresAt"`;
  return opened && { path: `/password-resets/${token}`, expiresAt: opened.expiresAt };
}

/** Whose password a link sets, as long as it is good. */
export async function findPasswordReset(
  database: Database,
  token: string,
): Promise<{ email: string; expires_at: string } | undefined> {
  const [found] = await database.$queryRaw<{ email: string; expires_at: string }[]>`
    SELECT u.email, rules.iso_utc(r.expires_at) AS expires_at
    FROM password_resets r JOIN users u ON u.id = r.user_id
    WHERE r.token_sha256 = ${hashLinkToken(token)} AND r.expires_at > now()`;
  return found;
}

/** Sets the password by a link, once, and ends all sessions of the user. False when the link is not good any more. */
export function resetPassword(database: Database, token: string, passwordHash: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const [used] = await tx.$queryRaw<{ userId: string }[]>`
      DELETE FROM password_resets WHERE token_sha256 = ${hashLinkToken(token)} AND expires_at > now()
      RETURNING user_id AS "userId"`;
    if (!used) return false;
    await tx.user.update({ where: { id: used.userId }, data: { passwordHash } });
    await tx.session.deleteMany({ where: { userId: used.userId } });
    return true;
  });
}
