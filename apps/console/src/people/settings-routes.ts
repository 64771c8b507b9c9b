import Joi from 'joi';
import { textField } from '@rewardhook/contract';
import {
  confirmContact,
  findContactConfirmation,
  findPendingContact,
  insertSides,
  listTimeZones,
  normalizeEmail,
  noteAudit,
  resendContactConfirmation,
  updateMerchant,
  updateSessionMerchant,
} from '@rewardhook/database';
import type { ChangeMerchantRequest, PendingContactConfirmation } from '../api-types.ts';
import { merchantFields, newMerchant, toNewMerchant } from '../account/sign-up.ts';
import { actorOf, readSessionView } from '../account/sessions.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email as emailField, withOneOf } from '../http/fields.ts';
import type { Handlers } from '../http/route.ts';
import { requireMails } from '../account/account-mails.ts';

const changeable = {
  name: textField(255).trim(),
  // A stored name that is no longer valid may stay; a new one is validated when it is stored.
  timezone: textField(64),
  manual_reward_limit: Joi.number().integer().min(1).max(Number.MAX_SAFE_INTEGER),
  contact_email: emailField().allow(null),
};

export function settingsHandlers(dependencies: ConsoleDependencies) {
  const { database, sealer, limits, log } = dependencies;
  return {
    /** The valid time zones of a merchant. */
    'GET /time-zones': async () => [...(await listTimeZones(database))].sort(),

    /** Creates another merchant of the user and selects it. */
    'POST /merchants': {
      input: merchantFields,
      async handle({ session, request, input }) {
        const { userId, idSha256 } = session;
        await limits.trySignUp(request.ip ?? '');
        const { sides, firstKeys } = newMerchant(input, userId, sealer);
        const merchantId = sides.live.id;
        await insertSides(database, sides, { userId });
        await updateSessionMerchant(database, idSha256, merchantId);
        log.info('merchant created by a user', { merchantId });
        return toNewMerchant(await readSessionView(dependencies, { ...session, merchantId }), firstKeys);
      },
    },

    /**
     * A contact address is used once it is confirmed by the link that is mailed to it. The user's own address is already
     * confirmed and is used at once.
     */
    'PATCH /merchant': {
      input: withOneOf<ChangeMerchantRequest>(changeable, { base: Joi.object(changeable) }),
      async handle({ session, merchantId, input: { base, ...given }, request }) {
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
    },

    /** Mails the link for the pending contact address again. */
    async 'POST /merchant/contact-confirmation'({ merchantId, request }) {
      const mails = requireMails(dependencies);
      const pending = await findPendingContact(database, merchantId);
      if (pending === undefined) throw notFound();
      await limits.tryMerchantMail('contactTo', request.ip ?? '', { merchantId, recipient: pending });
      if (!(await resendContactConfirmation(database, merchantId))) throw notFound();
      mails.sendStored();
      return { mailed_to: pending };
    },

    async 'GET /contact-confirmations/:token'({ params }): Promise<PendingContactConfirmation> {
      const found = await findContactConfirmation(database, params.token);
      if (!found) throw notFound();
      const { email, merchantName, expiresAt } = found;
      return { email, merchant: { name: merchantName }, expires_at: expiresAt };
    },

    /** From now on notices of the merchant are mailed to the address. */
    async 'POST /contact-confirmations/:token'({ session, params }) {
      if (session) noteAudit({ actor: actorOf(session) });
      if (!(await confirmContact(database, params.token))) throw notFound();
    },
  } satisfies Partial<Handlers>;
}

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
