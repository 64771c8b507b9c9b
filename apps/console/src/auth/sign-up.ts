import Joi from 'joi';
import { newId } from '@rewardhook/contract';
import {
  updateSessionMerchant,
  completeSignUp,
  findSignUp,
  insertMerchant,
  isEmailTaken,
  newMerchant,
  normalizeEmail,
} from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import type {
  CompleteSignUpRequest,
  MailSentResponse,
  NewMerchantRequest,
  PendingSignUp,
  SignUpResponse,
  SignUpRequest,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email, newPassword, text, timezone } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import { requireMails } from '../mails/require-mails.ts';
import { beginSession } from './begin-session.ts';
import { requireStrongPassword } from './password-strength.ts';
import { viewSession } from './session-view.ts';

const merchantFields = {
  merchant_name: text(255).trim().required(),
  timezone: timezone().default('Asia/Seoul'),
};

/**
 * POST /sign-up: mails a link. Whether the address has an account is looked up when the mail is sent, so that answer
 * and time are the same.
 */
export const signUp = (parts: ConsoleDependencies) =>
  openRoute<SignUpRequest>(
    'POST',
    '/sign-up',
    async ({ request, body }): Promise<MailSentResponse> => {
      const mails = requireMails(parts);
      const recipient = normalizeEmail(body.email);
      const address = request.ip ?? '';
      await parts.limits.trySignUp(address);
      await parts.limits.tryMail('signUpTo', address, recipient);
      await mails.send({ kind: 'sign_up', recipient });
      return { mailed_to: recipient };
    },
    { body: Joi.object<SignUpRequest>({ email: email().required() }), status: 202 },
  );

/** GET /sign-ups/:token */
export const showSignUp = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/sign-ups/:token', async ({ params }): Promise<PendingSignUp> => {
    const found = await findSignUp(database, String(params['token']));
    if (!found) throw notFound();
    return { email: found.email, expires_at: found.expiresAt };
  });

/** POST /sign-ups/:token: creates the account and its merchant, once. The password is chosen by who has the mail. */
export const finishSignUp = (parts: ConsoleDependencies) =>
  openRoute<CompleteSignUpRequest>(
    'POST',
    '/sign-ups/:token',
    async (call): Promise<SignUpResponse> => {
      const { database, sealer, passwords, log } = parts;
      const { password, merchant_name: name, timezone: zone = 'Asia/Seoul' } = call.body;
      const token = String(call.params['token']);
      const found = await findSignUp(database, token);
      if (!found) throw notFound();
      await requireStrongPassword('password', password, found.email);
      const newUser = { id: newId('usr'), email: found.email, passwordHash: await passwords.hash(password) };
      const merchant = newMerchant(
        {
          name,
          timezone: zone,
          signingSecret: generateSigningSecret(),
          createdBy: newUser.id,
          rule: defaultRule,
        },
        sealer,
      );
      const done = await completeSignUp(database, token, { newUser, merchant: merchant.row }).catch(
        (error: unknown) => {
          // An invitation was accepted with this e-mail meanwhile.
          if (isEmailTaken(error)) return false;
          throw error;
        },
      );
      if (!done) throw notFound();
      const session = await beginSession(parts, call, {
        userId: newUser.id,
        email: newUser.email,
        passwordHash: newUser.passwordHash,
        merchantId: merchant.row.id,
      });
      log.info('a merchant signed up', { merchantId: merchant.row.id });
      return { session, secret_key: merchant.secretKey, public_key: merchant.publicKey };
    },
    {
      body: Joi.object<CompleteSignUpRequest>({ password: newPassword().required(), ...merchantFields }),
      status: 201,
    },
  );

/** POST /merchants: one more merchant of the signed-in user, who looks at it from then on. */
export const createMerchant = (parts: ConsoleDependencies) =>
  route<NewMerchantRequest>(
    'viewer',
    'POST',
    '/merchants',
    async ({ session, request, body }): Promise<SignUpResponse> => {
      const { database, sealer, limits, log } = parts;
      const { merchant_name: name, timezone: zone = 'Asia/Seoul' } = body;
      const { userId, idSha256 } = session;
      await limits.trySignUp(request.ip ?? '');
      const merchant = newMerchant(
        {
          name,
          timezone: zone,
          signingSecret: generateSigningSecret(),
          createdBy: userId,
          rule: defaultRule,
        },
        sealer,
      );
      const merchantId = merchant.row.id;
      await insertMerchant(database, merchant.row, { userId });
      await updateSessionMerchant(database, idSha256, merchantId);
      log.info('a user created one more merchant', { merchantId });
      return {
        session: await viewSession(parts, { ...session, merchantId }),
        secret_key: merchant.secretKey,
        public_key: merchant.publicKey,
      };
    },
    { body: Joi.object<NewMerchantRequest>(merchantFields), status: 201 },
  );
