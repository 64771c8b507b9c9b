import { upsertPasswordReset, normalizeEmail } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';

export const userResetPassword = command({
  does: 'Make a link by which a user of the console sets a password anew. It is shown this once, good for an hour, and works once.',
  required: { email: 'of the user' },
  optional: {},
  async run({ email }, { database, consoleUrl }) {
    const opened = await upsertPasswordReset(database, normalizeEmail(email));
    if (!opened) throw new UsageError(`Nobody signs in to the console with ${email}.`);
    return { document: { link: `${consoleUrl}${opened.path}`, expiresAt: opened.expiresAt } };
  },
});
