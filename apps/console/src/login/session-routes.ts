import Joi from 'joi';
import {
  changePassword,
  chooseMerchant,
  deleteSession,
  findUser,
  updateMerchant,
  plainEmail,
} from '@rewardhook/database';
import type {
  ChangeMerchantRequest,
  ChangePasswordRequest,
  ChooseMerchantRequest,
  SessionView,
} from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { notFound } from '../http/console-error.ts';
import { email, givenPassword, newPassword, text, timezone } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import { checkPassword } from './check-password.ts';
import { viewSession } from './session-view.ts';
import { wrongCredentials } from './wrong-credentials.ts';

/** POST /sign-out: ends the session, if there is one. */
export const signOut = ({ database, cookie }: ConsoleParts) =>
  openRoute('POST', '/sign-out', async ({ request, response }) => {
    const idSha256 = cookie.read(request);
    if (idSha256) await deleteSession(database, idSha256);
    cookie.remove(response);
    return undefined;
  });

/** GET /session */
export const showSession = (parts: ConsoleParts) =>
  route('viewer', 'GET', '/session', ({ session }): Promise<SessionView> => viewSession(parts, session));

/** POST /session/merchant: only to a merchant that the user belongs to. */
export const changeMerchantOfSession = (parts: ConsoleParts) =>
  route<ChooseMerchantRequest>(
    'viewer',
    'POST',
    '/session/merchant',
    async ({ session, body }): Promise<SessionView> => {
      if (!(await chooseMerchant(parts.database, session.idSha256, body.merchant_id))) throw notFound();
      return viewSession(parts, { ...session, merchantId: body.merchant_id });
    },
    { body: Joi.object<ChooseMerchantRequest>({ merchant_id: text(255).required() }) },
  );

/** POST /password: takes the current one, and ends all other sessions of the user. */
export const changeOwnPassword = (parts: ConsoleParts) =>
  route<ChangePasswordRequest>(
    'viewer',
    'POST',
    '/password',
    async ({ session, body, request }) => {
      const { userId, idSha256 } = session;
      const { passwordHash: formerHash } = await checkPassword(parts, request, {
        email: session.email,
        password: body.current_password,
        find: () => findUser(parts.database, userId),
      });
      const passwordHash = await parts.passwords.hash(body.new_password);
      const change = { userId, formerHash, passwordHash, keepSession: idSha256 };
      if (!(await changePassword(parts.database, change))) throw wrongCredentials();
      return undefined;
    },
    {
      body: Joi.object<ChangePasswordRequest>({
        current_password: givenPassword().required(),
        new_password: newPassword().required(),
      }),
    },
  );

const changeable = {
  name: text(255).trim(),
  timezone: timezone(),
  contact_email: email().allow(null),
};

/** PATCH /merchant */
export const changeMerchant = (parts: ConsoleParts) =>
  route<ChangeMerchantRequest>(
    'owner',
    'PATCH',
    '/merchant',
    async ({ session, merchantId, body }): Promise<SessionView['merchant']> => {
      const { base, ...changes } = body;
      await updateMerchant(parts.database, merchantId, toRow(changes), base && toRow(base));
      return (await viewSession(parts, session)).merchant;
    },
    {
      body: Joi.object<ChangeMerchantRequest>({ ...changeable, base: Joi.object(changeable) }).or(
        ...Object.keys(changeable),
      ),
    },
  );

function toRow({ name, timezone: zone, contact_email: contact }: ChangeMerchantRequest) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(contact === undefined ? {} : { contactEmail: contact === null ? null : plainEmail(contact) }),
  };
}
