import { findUserByEmail, normalizeEmail } from '@rewardhook/database';
import { openLoginLimitKeys } from '@rewardhook/process';
import { command, UsageError } from '../command.ts';

export const userUnlock = command({
  does: 'Let a user of the console sign in again after too many wrong passwords, from wherever those came.',
  required: { email: 'of the user' },
  optional: {},
  async run({ email }, { database, redis: connect, queuePrefix, secretsKey }) {
    const address = normalizeEmail(email);
    if (!(await findUserByEmail(database, address)))
      throw new UsageError(`Nobody signs in to the console with ${email}.`);
    const redis = await connect();
    const keys = openLoginLimitKeys(queuePrefix, secretsKey);
    const hidden = keys.email(address);
    const counted = [`${keys.prefixOf('email')}:${hidden}`];
    // One for each address that tried: they are found by what their keys begin with.
    const pairs = `${keys.prefixOf('pair')}:${hidden}:*`;
    for await (const found of redis.scanStream({ match: escapeGlob(pairs), count: 1_000 }))
      counted.push(...(found as string[]));
    const removed = await Promise.all(counted.map((key) => redis.del(key)));
    return { document: { email: address, locksRemoved: removed.reduce((sum, one) => sum + one, 0) } };
  },
});

/** All but the asterisk at the end is meant as it is. */
function escapeGlob(pattern: string): string {
  return pattern.slice(0, -1).replace(/[\\*?[\]]/g, String.raw`\$&`) + '*';
}
