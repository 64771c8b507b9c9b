import { sqlState, uniqueViolation } from '../client/database-errors.ts';
import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';

export interface NewUser {
  id: string;
  /** In lower case. */
  email: string;
  passwordHash: string;
}

/** The form of an e-mail address that is stored and compared: NFC in lower case. */
export function normalizeEmail(address: string): string {
  return address.normalize('NFC').toLowerCase();
}

/** A person who uses the console. */
export type User = NewUser;

const columns = { id: true, email: true, passwordHash: true } as const;

/** Inserts a user. @throws when the e-mail address is taken, see {@link isEmailTaken} */
export async function insertUser(tx: Transaction, user: NewUser): Promise<void> {
  await tx.user.create({ data: user });
}

/** Whether an error of `insertUser` means that another user has the e-mail address. */
export function isEmailTaken(error: unknown): boolean {
  return sqlState(error) === uniqueViolation;
}

/** The user with an e-mail address, given in lower case, or undefined. */
export async function findUserByEmail(database: Database, email: string): Promise<User | undefined> {
  return (await database.user.findUnique({ where: { email }, select: columns })) ?? undefined;
}

/** The user, or undefined. */
export async function findUser(database: Database, id: string): Promise<User | undefined> {
  return (await database.user.findUnique({ where: { id }, select: columns })) ?? undefined;
}

/**
 * Changes a user's password and ends all sessions but `keepSession`. False when the password hash is not `formerHash` any
 * more.
 */
export async function updatePassword(
  database: Database,
  change: { userId: string; formerHash: string; passwordHash: string; keepSession: Uint8Array },
): Promise<boolean> {
  const { userId, formerHash, passwordHash, keepSession } = change;
  return database.$transaction(async (tx) => {
    const updated = await tx.user.updateMany({
      where: { id: userId, passwordHash: formerHash },
      data: { passwordHash },
    });
    if (updated.count === 0) return false;
    await tx.session.deleteMany({ where: { userId, NOT: { idSha256: new Uint8Array(keepSession) } } });
    await audit(tx);
    return true;
  });
}
