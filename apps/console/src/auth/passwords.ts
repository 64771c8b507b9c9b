import { hash, verify } from '@node-rs/argon2';
import { refuse } from '../http/console-error.ts';

/** argon2id (the library's default) as OWASP's cheat sheet sets it: 19 MiB, 2 passes, 1 lane; about 30 ms. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Most hashes that are made or waited for at a time: a flood is refused before it takes memory and threads. */
const mostAtATime = 16;

/** Makes and checks hashes of passwords. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Takes the same time for an unknown user, whose hash is undefined. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
}

/** Opens the hashing of passwords. Both @throws ConsoleError `service_unavailable` in a flood */
export async function openPasswords(): Promise<Passwords> {
  let busy = 0;
  const bounded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy >= mostAtATime) throw refuse('too_many_sign_ins', {}, { retryAfter: 1 });
    busy += 1;
    try {
      return await work();
    } finally {
      busy -= 1;
    }
  };
  // Of a password that nobody knows.
  const nobody = await hash(crypto.randomUUID(), cost);
  return {
    hash: (password) => bounded(() => hash(password, cost)),
    verify: (passwordHash, password) =>
      bounded(async () => {
        const right = await verify(passwordHash ?? nobody, password);
        return right && passwordHash !== undefined;
      }),
  };
}
