import Joi from 'joi';
import { textField } from '@rewardhook/contract';
import {
  confirmContact,
  findContactConfirmation,
  findPendingContact,
  insertSides,
  listTimeZones,
  newSides,
  normalizeEmail,
  noteAudit,
  resendContactConfirmation,
  updateMerchant,
  updateSessionMerchant,
} from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import type {
  ChangeMerchantRequest,
  MailSentResponse,
  NewMerchantRequest,
  PendingContactConfirmation,
  SessionView,
  SignUpResponse,
} from '../api-types.ts';
import { merchantFields, signUpResponse } from '../account/sign-up.ts';
import { actorOf, readSessionView } from '../account/sessions.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email as emailField } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import { requireMails } from '../account/account-mails.ts';

/** POST /merchants: creates another merchant of the user and selects it. */
export const createMerchant = (dependencies: ConsoleDependencies) =>
  route<NewMerchantRequest>(
    'viewer',
    'POST',
    '/merchants',
    async ({ session, request, body }): Promise<SignUpResponse> => {
      const { database, sealer, limits, log } = dependencies;
      const { merchant_name: name, timezone: zone = 'Asia/Seoul' } = body;
      const { userId, idSha256 } = session;
      await limits.trySignUp(request.ip ?? '');
      const { sides, firstKeys } = newSides(
        {
          name,
          timezone: zone,
          newSigningSecret: generateSigningSecret,
          createdBy: userId,
          rule: defaultRule,
        },
        sealer,
      );
      const merchantId = sides.live.id;
      await insertSides(database, sides, { userId });
      await updateSessionMerchant(database, idSha256, merchantId);
      log.info('merchant created by a user', { merchantId });
      return signUpResponse(await readSessionView(dependencies, { ...session, merchantId }), firstKeys);
    },
    {
      body: Joi.object<NewMerchantRequest>(merchantFields),
      side: 'merchant',
      status: 201,
      audit: 'merchant.created',
    },
  );

const changeable = {
  name: textField(255).trim(),
  // A stored name that is no longer valid may stay; a new one is validated when it is stored.
  timezone: textField(64),
  manual_reward_limit: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER),
  contact_email: emailField().allow(null),
};

/**
 * PATCH /merchant. A contact address is used once it is confirmed by the link that is mailed to it. The user's own
 * address is already confirmed and is used at once.
 */
export const changeMerchant = (dependencies: ConsoleDependencies) =>
  route<ChangeMerchantRequest>(
    'owner',
    'PATCH',
    '/merchant',
    async ({ session, merchantId, body, request }): Promise<SessionView['merchant']> => {
      const { database, limits } = dependencies;
      const { base, ...given } = body;
      const changes = toRow(given);
      const { contactEmail } = changes;
      const verifiedEmail = session.email;
      if (contactEmail && contactEmail !== verifiedEmail) {
        const { merchant } = await readSessionView(dependencies, session);
        const known = [merchant.contact_email, merchant.contact_email_pending];
        // A new address needs a mail.
        if (!known.includes(contactEmail)) {
          const mails = requireMails(dependencies);
          await limits.tryMerchantMail('contactTo', request.ip ?? '', {
            merchantId,
            recipient: contactEmail,
          });
          await mails.requireMailable('contact_email', contactEmail);
        }
      }
      await updateMerchant(database, merchantId, changes, { base: base && toRow(base), verifiedEmail });
      dependencies.mails?.sendStored();
      return (await readSessionView(dependencies, session)).merchant;
    },
    {
      body: Joi.object<ChangeMerchantRequest>({ ...changeable, base: Joi.object(changeable) }).or(
        ...Object.keys(changeable),
      ),
      side: 'merchant',
      audit: 'merchant.changed',
    },
  );

function toRow({
  name,
  timezone: zone,
  contact_email: contact,
  manual_reward_limit: manualRewardLimit,
}: ChangeMerchantRequest) {
  return {
    ...(manualRewardLimit === undefined ? {} : { manualRewardLimit }),
    ...(name === undefined ? {} : { name }),
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(contact === undefined ? {} : { contactEmail: contact === null ? null : normalizeEmail(contact) }),
  };
}

/** POST /merchant/contact-confirmation: mails the link again. */
export const sendContactConfirmation = (dependencies: ConsoleDependencies) =>
  route(
    'owner',
    'POST',
    '/merchant/contact-confirmation',
    async ({ merchantId, request }): Promise<MailSentResponse> => {
      const mails = requireMails(dependencies);
      const pending = await findPendingContact(dependencies.database, merchantId);
      if (pending === undefined) throw notFound();
      await dependencies.limits.tryMerchantMail('contactTo', request.ip ?? '', {
        merchantId,
        recipient: pending,
      });
      if (!(await resendContactConfirmation(dependencies.database, merchantId))) throw notFound();
      mails.sendStored();
      return { mailed_to: pending };
    },
    { side: 'merchant', status: 202, audit: 'merchant.contact_confirmation_sent' },
  );

/** GET /contact-confirmations/:token */
export const showContactConfirmation = ({ database }: ConsoleDependencies) =>
  openRoute(
    'GET',
    '/contact-confirmations/:token',
    async ({ params }): Promise<PendingContactConfirmation> => {
      const found = await findContactConfirmation(database, String(params['token']));
      if (!found) throw notFound();
      const { email, merchantName, expiresAt } = found;
      return { email, merchant: { name: merchantName }, expires_at: expiresAt };
    },
  );

/** POST /contact-confirmations/:token: from now on notices of the merchant are mailed to the address. */
export const confirmContactAddress = ({ database }: ConsoleDependencies) =>
  openRoute(
    'POST',
    '/contact-confirmations/:token',
    async ({ session, params }) => {
      if (session) noteAudit({ actor: actorOf(session) });
      if (!(await confirmContact(database, String(params['token'])))) throw notFound();
      return undefined;
    },
    { audit: 'merchant.contact_confirmed' },
  );

/** GET /time-zones: the valid time zones of a merchant. */
export const showTimeZones = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/time-zones', async (): Promise<string[]> => [...(await listTimeZones(database))].sort());
