import Joi from 'joi';
import { findPasswordReset, normalizeEmail, resetPassword } from '@rewardhook/database';
import type {
  ForgottenPasswordRequest,
  MailSentResponse,
  PendingPasswordReset,
  ResetPasswordRequest,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email, newPassword } from '../http/fields.ts';
import { openRoute } from '../http/route.ts';
import { requireMails } from '../mails/require-mails.ts';
import { requireStrongPassword } from './password-strength.ts';

/**
 * POST /password-resets: mails a link to who has an account. Whether there is one is looked up when the mail is sent, so
 * that answer and time are the same.
 */
export const forgotPassword = (parts: ConsoleDependencies) =>
  openRoute<ForgottenPasswordRequest>(
    'POST',
    '/password-resets',
    async ({ request, body }): Promise<MailSentResponse> => {
      const mails = requireMails(parts);
      const recipient = normalizeEmail(body.email);
      await parts.limits.tryMail('resetTo', request.ip ?? '', recipient);
      await mails.send({ kind: 'password_reset', recipient });
      return { mailed_to: recipient };
    },
    { body: Joi.object<ForgottenPasswordRequest>({ email: email().required() }), status: 202 },
  );

/** GET /password-resets/:token */
export const showPasswordReset = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/password-resets/:token', async ({ params }): Promise<PendingPasswordReset> => {
    const found = await findPasswordReset(database, String(params['token']));
    if (!found) throw notFound();
    return { email: found.email, expires_at: found.expiresAt };
  });

/**
 * POST /password-resets/:token: sets the password and ends all sessions of the user. Who has the link is the owner: the
 * browser is known from then on, and a lock that others have caused ends.
 */
export const setPasswordAnew = ({ database, passwords, limits, device }: ConsoleDependencies) =>
  openRoute<ResetPasswordRequest>(
    'POST',
    '/password-resets/:token',
    async ({ params, body, request, response }) => {
      const token = String(params['token']);
      // A hash costs: it is made for who has a link only.
      const found = await findPasswordReset(database, token);
      if (!found) throw notFound();
      await requireStrongPassword('password', body.password, found.email);
      if (!(await resetPassword(database, token, await passwords.hash(body.password)))) throw notFound();
      await limits.unlock(found.email);
      device.issue(request, response, found.email);
      return undefined;
    },
    { body: Joi.object<ResetPasswordRequest>({ password: newPassword().required() }) },
  );
