import { audit } from '../audit/audited.ts';
import type { Database } from '../client/client.ts';
import { isoOf, readTime, secondsAfter } from '../client/database-clock.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';

/** Seconds until a link expires. */
const validSeconds = 3_600;

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
  return database.$transaction(async (tx) => {
    const user = await tx.user.findUnique({ where: { email }, select: { id: true } });
    if (!user) return undefined;
    const expiresAt = secondsAfter(await readTime(tx), validSeconds);
    await tx.passwordReset.upsert({
      where: { userId: user.id },
      create: { userId: user.id, tokenSha256, expiresAt },
      update: { tokenSha256, expiresAt },
    });
    await audit(tx, { subjectId: user.id });
    return { path: `/password-resets/${token}`, expiresAt: isoOf(expiresAt) };
  });
}

/** The user whose password a link sets; undefined when the link has expired or was used. */
export async function findPasswordReset(
  database: Database,
  token: string,
): Promise<{ email: string; expiresAt: string } | undefined> {
  const found = await database.passwordReset.findUnique({
    where: { tokenSha256: hashLinkToken(token), expiresAt: { gt: await readTime(database) } },
    select: { expiresAt: true, user: { select: { email: true } } },
  });
  return found ? { email: found.user.email, expiresAt: isoOf(found.expiresAt) } : undefined;
}

/** Sets the password by a link, once, and ends all sessions of the user. False when the link has expired or was used. */
export function resetPassword(database: Database, token: string, passwordHash: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const where = { tokenSha256: hashLinkToken(token), expiresAt: { gt: await readTime(tx) } };
    const found = await tx.passwordReset.findUnique({
      where,
      select: { user: { select: { id: true, email: true } } },
    });
    // Of two uses at the same time, one deletes the row.
    if (!found || (await tx.passwordReset.deleteMany({ where })).count === 0) return false;
    const { id, email } = found.user;
    await tx.user.update({ where: { id }, data: { passwordHash } });
    await tx.session.deleteMany({ where: { userId: id } });
    await audit(tx, { actor: { kind: 'user', id, email }, subjectId: id });
    return true;
  });
}
