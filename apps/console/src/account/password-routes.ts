import Joi from 'joi';
import {
  findPasswordReset,
  findUser,
  normalizeEmail,
  noteUnchanged,
  resetPassword,
  updatePassword,
} from '@rewardhook/database';
import type {
  ChangePasswordRequest,
  ForgottenPasswordRequest,
  MailSentResponse,
  PendingPasswordReset,
  ResetPasswordRequest,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { email, existingPassword, newPassword } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import { requireMails } from './account-mails.ts';
import { checkPassword } from './check-password.ts';
import { requireStrongPassword } from './password-strength.ts';

/** POST /password: needs the current password, and ends all other sessions of the user. */
export const changeOwnPassword = (dependencies: ConsoleDependencies) =>
  route<ChangePasswordRequest>(
    'viewer',
    'POST',
    '/password',
    async ({ session, body, request }) => {
      const { userId, idSha256 } = session;
      const { passwordHash: formerHash } = await checkPassword(dependencies, request, {
        email: session.email,
        password: body.current_password,
        find: () => findUser(dependencies.database, userId),
      });
      await requireStrongPassword('new_password', body.new_password, session.email);
      const passwordHash = await dependencies.passwords.hash(body.new_password);
      const change = { userId, formerHash, passwordHash, keepSession: idSha256 };
      if (!(await updatePassword(dependencies.database, change))) throw refuse('wrong_credentials');
      return undefined;
    },
    {
      body: Joi.object<ChangePasswordRequest>({
        current_password: existingPassword().required(),
        new_password: newPassword().required(),
      }),
      side: 'merchant',
      audit: 'user.password_changed',
      auditRefusals: ['wrong_credentials'],
    },
  );

/**
 * POST /password-resets: mails a link if the address has an account. That is checked when the mail is sent, so that the
 * response and its time are the same in both cases.
 */
export const requestPasswordReset = (dependencies: ConsoleDependencies) =>
  openRoute<ForgottenPasswordRequest>(
    'POST',
    '/password-resets',
    async ({ request, body }): Promise<MailSentResponse> => {
      const mails = requireMails(dependencies);
      const recipient = normalizeEmail(body.email);
      await dependencies.limits.tryMail('resetTo', request.ip ?? '', recipient);
      if (!(await dependencies.mayRecordUnauthenticated())) noteUnchanged();
      await mails.send({ kind: 'password_reset', recipient });
      return { mailed_to: recipient };
    },
    {
      body: Joi.object<ForgottenPasswordRequest>({ email: email().required() }),
      status: 202,
      audit: 'user.password_reset_requested',
    },
  );

/** GET /password-resets/:token */
export const showPasswordReset = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/password-resets/:token', async ({ params }): Promise<PendingPasswordReset> => {
    const found = await findPasswordReset(database, String(params['token']));
    if (!found) throw notFound();
    return { email: found.email, expires_at: found.expiresAt };
  });

/**
 * POST /password-resets/:token: sets the password and ends all sessions of the user. The link proves that the user owns
 * the address: the browser becomes known, and a lock that others have caused ends.
 */
export const completePasswordReset = ({ database, passwords, limits, device }: ConsoleDependencies) =>
  openRoute<ResetPasswordRequest>(
    'POST',
    '/password-resets/:token',
    async ({ params, body, request, response }) => {
      const token = String(params['token']);
      // Hashing is expensive: only a valid link gets that far.
      const found = await findPasswordReset(database, token);
      if (!found) throw notFound();
      await requireStrongPassword('password', body.password, found.email);
      if (!(await resetPassword(database, token, await passwords.hash(body.password)))) throw notFound();
      await limits.unlock(found.email);
      device.issue(request, response, found.email);
      return undefined;
    },
    {
      body: Joi.object<ResetPasswordRequest>({ password: newPassword().required() }),
      audit: 'user.password_reset',
    },
  );
