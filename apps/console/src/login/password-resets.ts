import Joi from 'joi';
import { findPasswordReset, resetPassword } from '@rewardhook/database';
import type { OpenPasswordReset, ResetPasswordRequest } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { notFound } from '../http/console-error.ts';
import { newPassword } from '../http/fields.ts';
import { openRoute } from '../http/route.ts';

/** GET /password-resets/:token */
export const showPasswordReset = ({ database }: ConsoleParts) =>
  openRoute('GET', '/password-resets/:token', async ({ params }): Promise<OpenPasswordReset> => {
    const found = await findPasswordReset(database, String(params['token']));
    if (!found) throw notFound();
    return found;
  });

/** POST /password-resets/:token: sets the password and ends all sessions of the user. */
export const setPasswordAnew = ({ database, passwords }: ConsoleParts) =>
  openRoute<ResetPasswordRequest>(
    'POST',
    '/password-resets/:token',
    async ({ params, body }) => {
      const token = String(params['token']);
      // A hash costs: it is made for who has a link only.
      if (!(await findPasswordReset(database, token))) throw notFound();
      if (!(await resetPassword(database, token, await passwords.hash(body.password)))) throw notFound();
      return undefined;
    },
    { body: Joi.object<ResetPasswordRequest>({ password: newPassword().required() }) },
  );
