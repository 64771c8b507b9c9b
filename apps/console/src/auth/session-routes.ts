import Joi from 'joi';
import {
  updatePassword,
  updateSessionMerchant,
  deleteSession,
  findPendingContact,
  findUser,
  resendContactConfirmation,
  updateMerchant,
  normalizeEmail,
} from '@rewardhook/database';
import type {
  ChangeMerchantRequest,
  ChangePasswordRequest,
  ChooseMerchantRequest,
  MailSentResponse,
  SessionView,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email as emailField, existingPassword, newPassword, text } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import { requireMails } from '../mails/require-mails.ts';
import { checkPassword } from './check-password.ts';
import { requireStrongPassword } from './password-strength.ts';
import { viewSession } from './session-view.ts';
import { wrongCredentials } from './wrong-credentials.ts';

/** POST /sign-out: ends the session, if there is one. */
export const signOut = ({ database, cookie }: ConsoleDependencies) =>
  openRoute('POST', '/sign-out', async ({ request, response }) => {
    const idSha256 = cookie.read(request);
    if (idSha256) await deleteSession(database, idSha256);
    cookie.remove(response);
    return undefined;
  });

/** GET /session */
export const showSession = (parts: ConsoleDependencies) =>
  route('viewer', 'GET', '/session', ({ session }): Promise<SessionView> => viewSession(parts, session));

/** POST /session/merchant: only to a merchant that the user belongs to. */
export const changeMerchantOfSession = (parts: ConsoleDependencies) =>
  route<ChooseMerchantRequest>(
    'viewer',
    'POST',
    '/session/merchant',
    async ({ session, body }): Promise<SessionView> => {
      if (!(await updateSessionMerchant(parts.database, session.idSha256, body.merchant_id)))
        throw notFound();
      return viewSession(parts, { ...session, merchantId: body.merchant_id });
    },
    { body: Joi.object<ChooseMerchantRequest>({ merchant_id: text(255).required() }) },
  );

/** POST /password: takes the current one, and ends all other sessions of the user. */
export const changeOwnPassword = (parts: ConsoleDependencies) =>
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
      await requireStrongPassword('new_password', body.new_password, session.email);
      const passwordHash = await parts.passwords.hash(body.new_password);
      const change = { userId, formerHash, passwordHash, keepSession: idSha256 };
      if (!(await updatePassword(parts.database, change))) throw wrongCredentials();
      return undefined;
    },
    {
      body: Joi.object<ChangePasswordRequest>({
        current_password: existingPassword().required(),
        new_password: newPassword().required(),
      }),
    },
  );

const changeable = {
  name: text(255).trim(),
  // A zone from before zones were validated may stay; a new one is validated with the change.
  timezone: text(64),
  contact_email: emailField().allow(null),
};

/**
 * PATCH /merchant. A contact address counts once it is confirmed by a link that is mailed to it; the user's own, which
 * is, at once.
 */
export const changeMerchant = (parts: ConsoleDependencies) =>
  route<ChangeMerchantRequest>(
    'owner',
    'PATCH',
    '/merchant',
    async ({ session, merchantId, body, request }): Promise<SessionView['merchant']> => {
      const { database, limits } = parts;
      const { base, ...given } = body;
      const changes = toRow(given);
      const { contactEmail } = changes;
      const verifiedEmail = session.email;
      if (contactEmail && contactEmail !== verifiedEmail) {
        const { merchant } = await viewSession(parts, session);
        const known = [merchant.contact_email, merchant.contact_email_pending];
        // It takes a mail.
        if (!known.includes(contactEmail)) {
          requireMails(parts);
          await limits.tryMail('contactTo', request.ip ?? '', contactEmail);
        }
      }
      await updateMerchant(database, merchantId, changes, { base: base && toRow(base), verifiedEmail });
      parts.mails?.sendStored();
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
    ...(contact === undefined ? {} : { contactEmail: contact === null ? null : normalizeEmail(contact) }),
  };
}

/** POST /merchant/contact-confirmation: mails the link once more. */
export const sendContactConfirmation = (parts: ConsoleDependencies) =>
  route(
    'owner',
    'POST',
    '/merchant/contact-confirmation',
    async ({ merchantId, request }): Promise<MailSentResponse> => {
      const mails = requireMails(parts);
      const pending = await findPendingContact(parts.database, merchantId);
      if (pending === undefined) throw notFound();
      await parts.limits.tryMail('contactTo', request.ip ?? '', pending);
      if (!(await resendContactConfirmation(parts.database, merchantId))) throw notFound();
      mails.sendStored();
      return { mailed_to: pending };
    },
    { status: 202 },
  );
