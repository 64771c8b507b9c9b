import { hash, verify } from '@node-rs/argon2';
import { refuse } from '../http/console-error.ts';

/** Argon2id (the library's default) with the parameters of OWASP's cheat sheet: 19 MiB, 2 passes, 1 thread; about 30 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The most hashes at a time: more are refused before they take memory and threads. */
const maxConcurrent = 16;

/** Hashes and verifies passwords. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time when the user is unknown and the hash undefined. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
}

/** Opens the hashing. Both methods @throws ConsoleError `service_unavailable` beyond the limit of concurrent hashes */
export async function openPasswords(): Promise<Passwords> {
  let busy = 0;
  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy >= maxConcurrent) throw refuse('too_many_sign_ins', {}, { retryAfter: 1 });
    busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
    }
  };
  // The hash of a random password, for users that do not exist.
  const dummyHash = await hash(crypto.randomUUID(), cost);
  return {
    hash: (password) => bounded(() => hash(password, cost)),
    verify: (passwordHash, password) =>
      bounded(async () => {
        const right = await verify(passwordHash ?? dummyHash, password);
        return right && passwordHash !== undefined;
      }),
  };
}
