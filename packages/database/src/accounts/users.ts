import { sqlState, uniqueViolation } from '../client/database-errors.ts';
import { audit } from '../audit/audited.ts';
import { transact } from '../client/client.ts';
import type { Database, Queryable } from '../client/client.ts';

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

const columns = 'id, email, password_hash AS "passwordHash"';

/** Inserts a user. @throws when the e-mail address is taken, see {@link isEmailTaken} */
export async function insertUser(database: Queryable, user: NewUser): Promise<void> {
  const { id, email, passwordHash } = user;
  await database.execute('INSERT INTO users (id, email, password_hash) VALUES ($1, $2, $3)', [
    id,
    email,
    passwordHash,
  ]);
}

/** Whether an error of `insertUser` means that another user has the e-mail address. */
export function isEmailTaken(error: unknown): boolean {
  return sqlState(error) === uniqueViolation;
}

/** The user with an e-mail address, given in lower case, or undefined. */
export async function findUserByEmail(database: Queryable, email: string): Promise<User | undefined> {
  const [user] = await database.query<User>(`SELECT ${columns} FROM users WHERE email = $1`, [email]);
  return user;
}

/** The user, or undefined. */
export async function findUser(database: Queryable, id: string): Promise<User | undefined> {
  const [user] = await database.query<User>(`SELECT ${columns} FROM users WHERE id = $1`, [id]);
  return user;
}

/**
 * Changes a user's password and ends all sessions but `keepSession`. False when the password hash is not `formerHash` any
 * more.
 */
export async function updatePassword(
  database: Database,
  change: { userId: string; formerHash: string; passwordHash: string; keepSession: Uint8Array },
): Promise<boolean> {
  const { userId, formerHash, passwordHash } = change;
  return transact(database, async (tx) => {
    const updated = await tx.execute(
      'UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2',
      [userId, formerHash, passwordHash],
    );
    if (updated === 0) return false;
    await tx.execute('DELETE FROM sessions WHERE user_id = $1 AND id_sha256 <> $2', [
      userId,
      change.keepSession,
    ]);
    await audit(tx);
    return true;
  });
}
