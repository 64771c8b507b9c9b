import { findUserByEmail, normalizeEmail, noteAudit, upsertPasswordReset } from '@rewardhook/database';
import { mastersOf } from '@rewardhook/pipeline';
import { openAllLoginLimitKeys } from '@rewardhook/process';
import { command, UsageError } from '../command.ts';

export const userResetPassword = command({
  description:
    'Create a link with which a user of the console sets a new password. It is shown only once, works once and expires after an hour.',
  audit: 'user.password_reset_requested',
  required: { email: 'address of the user' },
  async run({ email }, { database, consoleUrl }) {
    const reset = await upsertPasswordReset(database, normalizeEmail(email));
    if (!reset) throw new UsageError(`There is no console user with the address ${email}.`);
    return { document: { link: `${consoleUrl}${reset.path}`, expiresAt: reset.expiresAt } };
  },
});

export const userUnlock = command({
  description: 'Let a user of the console sign in again after too many wrong passwords, from any IP address.',
  audit: 'user.unlocked',
  required: { email: 'address of the user' },
  async run({ email }, { database, redis: connect, queuePrefix, secretsKey }) {
    const address = normalizeEmail(email);
    const user = await findUserByEmail(database, address);
    if (!user) throw new UsageError(`There is no console user with the address ${email}.`);
    const redis = await connect();
    const limits: string[] = [];
    for (const keys of openAllLoginLimitKeys(queuePrefix, secretsKey)) {
      const hashed = keys.email(address);
      limits.push(`${keys.prefixOf('email')}:${hashed}`);
      // There is one more for each IP address that tried. They share a prefix.
      const pattern = `${escapeGlob(`${keys.prefixOf('pair')}:${hashed}:`)}*`;
      for (const master of mastersOf(redis))
        for await (const found of master.scanStream({ match: pattern, count: 1_000 }))
          limits.push(...(found as string[]));
    }
    const removed = await Promise.all(limits.map((key) => redis.del(key)));
    const locksRemoved = removed.reduce((sum, one) => sum + one, 0);
    noteAudit({ subjectId: user.id, details: { locksRemoved } });
    return { document: { email: address, locksRemoved } };
  },
});

/** Escapes the special characters of a Redis pattern. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, String.raw`\$&`);
}
