import Joi from 'joi';
import { findUserByEmail, listMemberships, normalizeEmail } from '@rewardhook/database';
import type { SessionView, SignInRequest } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuse } from '../http/console-error.ts';
import { email, existingPassword } from '../http/fields.ts';
import { openRoute } from '../http/route.ts';
import { beginSession } from './begin-session.ts';
import { checkPassword } from './check-password.ts';

const body = Joi.object<SignInRequest>({
  email: email().required(),
  password: existingPassword().required(),
});

/** POST /sign-in */
export const signIn = (parts: ConsoleDependencies) =>
  openRoute<SignInRequest>(
    'POST',
    '/sign-in',
    async (call): Promise<SessionView> => {
      const address = normalizeEmail(call.body.email);
      const user = await checkPassword(parts, call.request, {
        email: address,
        password: call.body.password,
        find: () => findUserByEmail(parts.database, address),
      });
      const [first] = await listMemberships(parts.database, user.id);
      if (!first) throw refuse('no_merchant');
      return beginSession(parts, call, {
        userId: user.id,
        email: user.email,
        passwordHash: user.passwordHash,
        merchantId: first.merchantId,
      });
    },
    { body },
  );
