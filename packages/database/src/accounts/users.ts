import type { Database, PrismaTransaction } from '../client/client.ts';

export interface NewUser {
  id: string;
  /** In lower case. */
  email: string;
  passwordHash: string;
}

/** The one form of an e-mail address that is stored and looked up. */
export function normalizeEmail(address: string): string {
  return address.normalize('NFC').toLowerCase();
}

/** A person who uses the console. */
export type User = NewUser;

const shown = { id: true, email: true, passwordHash: true };

/** Stores a user. @throws when the e-mail is taken, see {@link isEmailTaken} */
export async function insertUser(database: PrismaTransaction, user: NewUser): Promise<void> {
  await database.user.create({ data: user });
}

/** Whether an error of `insertUser` means that somebody has the e-mail. */
export function isEmailTaken(error: unknown): boolean {
  return (error as { code?: string } | undefined)?.code === 'P2002';
}

/** The user with an e-mail, given in lower case. */
export async function findUserByEmail(database: PrismaTransaction, email: string): Promise<User | undefined> {
  return (await database.user.findUnique({ where: { email }, select: shown })) ?? undefined;
}

/** The user, or undefined. */
export async function findUser(database: PrismaTransaction, id: string): Promise<User | undefined> {
  return (await database.user.findUnique({ where: { id }, select: shown })) ?? undefined;
}

/**
 * Changes a user's password and ends all sessions but the one kept. False when it is another by now than the one that
 * was looked at.
 */
export async function updatePassword(
  database: Database,
  change: { userId: string; formerHash: string; passwordHash: string; keepSession: Uint8Array },
): Promise<boolean> {
  const { userId, formerHash, passwordHash } = change;
  return database.$transaction(async (tx) => {
    const where = { id: userId, passwordHash: formerHash };
    const { count } = await tx.user.updateMany({ where, data: { passwordHash } });
    if (count === 0) return false;
    await tx.session.deleteMany({
      where: { userId, idSha256: { not: Uint8Array.from(change.keepSession) } },
    });
    return true;
  });
}
