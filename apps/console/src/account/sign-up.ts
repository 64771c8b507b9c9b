import Joi from 'joi';
import { newId, textField } from '@rewardhook/contract';
import {
  completeSignUp,
  findSignUp,
  isEmailTaken,
  newSides,
  normalizeEmail,
  noteUnchanged,
} from '@rewardhook/database';
import type { FirstKeys } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import type {
  CompleteSignUpRequest,
  MailSentResponse,
  PendingSignUp,
  SessionView,
  SignUpRequest,
  SignUpResponse,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email, newPassword, timezone } from '../http/fields.ts';
import { openRoute } from '../http/route.ts';
import { requireMails } from './account-mails.ts';
import { requireStrongPassword } from './password-strength.ts';
import { startSession } from './sessions.ts';

/** The fields of a new merchant. */
export const merchantFields = {
  merchant_name: textField(255).trim().required(),
  timezone: timezone().default('Asia/Seoul'),
};

/** The response to the creation of a merchant. */
export const signUpResponse = (session: SessionView, firstKeys: FirstKeys): SignUpResponse => ({
  session,
  first_keys: {
    secret_key: firstKeys.secretKey,
    public_key: firstKeys.publicKey,
    signing_secret: firstKeys.signingSecret,
  },
});

/**
 * POST /sign-up: mails a link. Whether the address already has an account is checked when the mail is sent, so that the
 * response and its time are the same in both cases.
 */
export const signUp = (dependencies: ConsoleDependencies) =>
  openRoute<SignUpRequest>(
    'POST',
    '/sign-up',
    async ({ request, body }): Promise<MailSentResponse> => {
      const mails = requireMails(dependencies);
      const recipient = normalizeEmail(body.email);
      const address = request.ip ?? '';
      await dependencies.limits.trySignUp(address);
      await dependencies.limits.tryMail('signUpTo', address, recipient);
      await mails.requireMailable('email', recipient);
      if (!(await dependencies.mayRecordUnauthenticated())) noteUnchanged();
      await mails.send({ kind: 'sign_up', recipient });
      return { mailed_to: recipient };
    },
    {
      body: Joi.object<SignUpRequest>({ email: email().required() }),
      status: 202,
      audit: 'user.sign_up_requested',
    },
  );

/** GET /sign-ups/:token */
export const showSignUp = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/sign-ups/:token', async ({ params }): Promise<PendingSignUp> => {
    const found = await findSignUp(database, String(params['token']));
    if (!found) throw notFound();
    return { email: found.email, expires_at: found.expiresAt };
  });

/** POST /sign-ups/:token: creates the account and its merchant, once. Only the recipient of the mail can set the password. */
export const finishSignUp = (dependencies: ConsoleDependencies) =>
  openRoute<CompleteSignUpRequest>(
    'POST',
    '/sign-ups/:token',
    async (call): Promise<SignUpResponse> => {
      const { database, sealer, passwords, log } = dependencies;
      const { password, merchant_name: name, timezone: zone = 'Asia/Seoul' } = call.body;
      const token = String(call.params['token']);
      const found = await findSignUp(database, token);
      if (!found) throw notFound();
      await requireStrongPassword('password', password, found.email);
      const newUser = { id: newId('usr'), email: found.email, passwordHash: await passwords.hash(password) };
      const { sides, firstKeys } = newSides(
        {
          name,
          timezone: zone,
          newSigningSecret: generateSigningSecret,
          createdBy: newUser.id,
          rule: defaultRule,
        },
        sealer,
      );
      const merchantId = sides.live.id;
      const done = await completeSignUp(database, token, { newUser, sides }).catch((error: unknown) => {
        // An invitation was accepted with this address in the meantime.
        if (isEmailTaken(error)) return false;
        throw error;
      });
      if (!done) throw notFound();
      const session = await startSession(dependencies, call, {
        userId: newUser.id,
        email: newUser.email,
        passwordHash: newUser.passwordHash,
        merchantId,
      });
      log.info('merchant signed up', { merchantId });
      return signUpResponse(session, firstKeys);
    },
    {
      body: Joi.object<CompleteSignUpRequest>({ password: newPassword().required(), ...merchantFields }),
      status: 201,
      audit: 'user.signed_up',
    },
  );
