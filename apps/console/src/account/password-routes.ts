import {
  findPasswordReset,
  findUser,
  normalizeEmail,
  noteUnchanged,
  resetPassword,
  updatePassword,
} from '@rewardhook/database';
import type { PendingAddress } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { email, existingPassword, newPassword } from '../http/fields.ts';
import type { Handlers } from '../http/route.ts';
import { requireMails } from './account-mails.ts';
import { checkPassword } from './check-password.ts';
import { requireStrongPassword } from './password-strength.ts';

export function passwordHandlers(dependencies: ConsoleDependencies) {
  const { database, passwords, limits, device } = dependencies;
  return {
    /** Needs the current password, and ends all other sessions of the user. */
    'POST /password': {
      input: {
        current_password: existingPassword().required(),
        new_password: newPassword().required(),
      },
      async handle({ session, input, request }) {
        const { userId, idSha256 } = session;
        const { passwordHash: formerHash } = await checkPassword(dependencies, request, {
          email: session.email,
          password: input.current_password,
          find: () => findUser(database, userId),
        });
        await requireStrongPassword('new_password', input.new_password, session.email);
        const passwordHash = await passwords.hash(input.new_password);
        const change = { userId, formerHash, passwordHash, keepSession: idSha256 };
        if (!(await updatePassword(database, change))) throw refuse('wrong_credentials');
      },
    },

    /**
     * Mails a link if the address has an account. That is checked when the mail is sent, so that the response and its time are
     * the same in both cases.
     */
    'POST /password-resets': {
      input: { email: email().required() },
      async handle({ request, input }) {
        const mails = requireMails(dependencies);
        const recipient = normalizeEmail(input.email);
        await limits.tryMail('resetTo', request.ip ?? '', recipient);
        if (!(await dependencies.mayRecordUnauthenticated())) noteUnchanged();
        await mails.send({ kind: 'password_reset', recipient });
        return { mailed_to: recipient };
      },
    },

    async 'GET /password-resets/:token'({ params }): Promise<PendingAddress> {
      const found = await findPasswordReset(database, params.token);
      if (!found) throw notFound();
      return { email: found.email, expires_at: found.expiresAt };
    },

    /**
     * Sets the password and ends all sessions of the user. The link proves that the user owns the address: the browser becomes
     * known, and a lock that others have caused ends.
     */
    'POST /password-resets/:token': {
      input: { password: newPassword().required() },
      async handle({ params: { token }, input: { password }, request, response }) {
        // Hashing is expensive: only a valid link gets that far.
        const found = await findPasswordReset(database, token);
        if (!found) throw notFound();
        await requireStrongPassword('password', password, found.email);
        if (!(await resetPassword(database, token, await passwords.hash(password)))) throw notFound();
        await limits.unlock(found.email);
        device.issue(request, response, found.email);
      },
    },
  } satisfies Partial<Handlers>;
}
