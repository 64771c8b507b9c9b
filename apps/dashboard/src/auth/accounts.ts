import { createHash, timingSafeEqual } from 'node:crypto';

/** An operator may change the queues, a viewer may read them. */
export type Role = 'operator' | 'viewer';

export interface Account {
  role: Role;
  user: string;
  password: string;
}

/**
 * Returns a function that finds the role of a user and password; undefined when they are wrong. It takes the same time
 * for every result: digests of one length are compared, and always those of all accounts.
 */
export function openAccounts(accounts: Account[]): (user: string, password: string) => Role | undefined {
  const known = accounts.map(({ role, user, password }) => ({
    role,
    user: digest(user),
    password: digest(password),
  }));
  return (user, password) => {
    const given = { user: digest(user), password: digest(password) };
    let found: Role | undefined;
    for (const account of known) {
      const isUser = timingSafeEqual(account.user, given.user);
      const isPassword = timingSafeEqual(account.password, given.password);
      if (isUser && isPassword) found = account.role;
    }
    return found;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
