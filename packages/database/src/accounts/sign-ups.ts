import { audit } from '../audit/audited.ts';
import type { Database } from '../client/client.ts';
import { isoOf, readTime, secondsAfter } from '../client/database-clock.ts';
import { insertSidesIn } from '../merchants/new-sides.ts';
import type { NewSides } from '../merchants/new-sides.ts';
import { requireTimeZone } from '../merchants/time-zones.ts';
import { hashLinkToken, newLinkToken } from './link-token.ts';
import type { NewUser } from './users.ts';

/** Seconds until the link of a sign-up expires. */
const validSeconds = 86_400;

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
  const now = await readTime(database);
  await database.signUp.deleteMany({ where: { expiresAt: { lte: now } } });
  const expiresAt = secondsAfter(now, validSeconds);
  await database.signUp.create({ data: { tokenSha256, email, expiresAt } });
  return { path: `/sign-ups/${token}`, expiresAt: isoOf(expiresAt) };
}

/** The address that a link verifies; undefined when the link has expired or was used. */
export async function findSignUp(
  database: Database,
  token: string,
): Promise<{ email: string; expiresAt: string } | undefined> {
  const found = await database.signUp.findUnique({
    where: { tokenSha256: hashLinkToken(token), expiresAt: { gt: await readTime(database) } },
  });
  return found ? { email: found.email, expiresAt: isoOf(found.expiresAt) } : undefined;
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
  { newUser, sides }: { newUser: NewUser; sides: NewSides },
): Promise<boolean> {
  await requireTimeZone(database, sides.live.timezone);
  return database.$transaction(async (tx) => {
    const { id, email } = newUser;
    const used = await tx.signUp.deleteMany({
      where: { tokenSha256: hashLinkToken(token), email, expiresAt: { gt: await readTime(tx) } },
    });
    if (used.count === 0) return false;
    await tx.signUp.deleteMany({ where: { email } });
    await insertSidesIn(tx, sides, { newUser });
    await audit(tx, { actor: { kind: 'user', id, email }, merchantId: sides.live.id, subjectId: id });
    return true;
  });
}
