import { createHash, timingSafeEqual } from 'node:crypto';

/** An operator may change the queues, a viewer may read them. */
export type Role = 'operator' | 'viewer';

export interface Account {
  role: Role;
  user: string;
  password: string;
}

/**
 * Returns a function that finds the account of a user and password; undefined when they are wrong. It takes the same time
 * for every result: digests of one length are compared, and always those of all accounts.
 */
export function openAccounts(
  accounts: Account[],
): (user: string, password: string) => Pick<Account, 'role' | 'user'> | undefined {
  const known = accounts.map(({ role, user, password }) => ({
    account: { role, user },
    user: digest(user),
    password: digest(password),
  }));
  return (user, password) => {
    const given = { user: digest(user), password: digest(password) };
    let found: Pick<Account, 'role' | 'user'> | undefined;
    for (const { account, ...one } of known) {
      const isUser = timingSafeEqual(one.user, given.user);
      const isPassword = timingSafeEqual(one.password, given.password);
      if (isUser && isPassword) found = account;
    }
    return found;
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
