import { newId, textField } from '@rewardhook/contract';
import {
  completeSignUp,
  findSignUp,
  isEmailTaken,
  newSides,
  normalizeEmail,
  noteUnchanged,
} from '@rewardhook/database';
import type { FirstKeys, Sealer } from '@rewardhook/database';
import { defaultTerms } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import type { NewMerchantRequest, PendingAddress, SessionView, SignUpResponse } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { email, newPassword, timezone } from '../http/fields.ts';
import type { Handlers } from '../http/route.ts';
import { requireMails } from './account-mails.ts';
import { requireStrongPassword } from './password-strength.ts';
import { startSession } from './sessions.ts';

/** The fields of a new merchant. */
export const merchantFields = {
  merchant_name: textField(255).trim().required(),
  timezone: timezone(),
};

/** Both sides of a new merchant, with the keys of its test side. */
export const newMerchant = (
  { merchant_name: name, timezone: zone = 'Asia/Seoul' }: NewMerchantRequest,
  createdBy: string,
  sealer: Sealer,
) =>
  newSides(
    { name, timezone: zone, newSigningSecret: generateSigningSecret, createdBy, terms: defaultTerms },
    sealer,
  );

/** The response to the creation of a merchant. */
export const toNewMerchant = (session: SessionView, firstKeys: FirstKeys): SignUpResponse => ({
  session,
  first_keys: {
    secret_key: firstKeys.secretKey,
    public_key: firstKeys.publicKey,
    signing_secret: firstKeys.signingSecret,
  },
});

export function signUpHandlers(dependencies: ConsoleDependencies) {
  const { database, sealer, passwords, limits, log } = dependencies;
  return {
    /**
     * Mails a link. Whether the address already has an account is checked when the mail is sent, so that the response and its
     * time are the same in both cases.
     */
    'POST /sign-up': {
      input: { email: email().required() },
      async handle({ request, input }) {
        const mails = requireMails(dependencies);
        const recipient = normalizeEmail(input.email);
        const address = request.ip ?? '';
        await limits.trySignUp(address);
        await limits.tryMail('signUpTo', address, recipient);
        await mails.requireMailable('email', recipient);
        if (!(await dependencies.mayRecordUnauthenticated())) noteUnchanged();
        await mails.send({ kind: 'sign_up', recipient });
        return { mailed_to: recipient };
      },
    },

    async 'GET /sign-ups/:token'({ params }): Promise<PendingAddress> {
      const found = await findSignUp(database, params.token);
      if (!found) throw notFound();
      return { email: found.email, expires_at: found.expiresAt };
    },

    /** Creates the account and its merchant, once. Only the recipient of the mail can set the password. */
    'POST /sign-ups/:token': {
      input: { password: newPassword().required(), ...merchantFields },
      async handle(call) {
        const { password } = call.input;
        const { token } = call.params;
        const found = await findSignUp(database, token);
        if (!found) throw notFound();
        const { email: address } = found;
        await requireStrongPassword('password', password, address);
        const newUser = {
          id: newId('usr'),
          email: address,
          passwordHash: await passwords.hash(password),
        };
        const { id: userId, passwordHash } = newUser;
        const { sides, firstKeys } = newMerchant(call.input, userId, sealer);
        const merchantId = sides.live.id;
        const done = await completeSignUp(database, token, { newUser, sides }).catch((error: unknown) => {
          // An invitation was accepted with this address in the meantime.
          if (isEmailTaken(error)) return false;
          throw error;
        });
        if (!done) throw notFound();
        const user = { userId, email: address, passwordHash, merchantId, enteredPassword: true };
        const session = await startSession(dependencies, call, user);
        log.info('merchant signed up', { merchantId });
        return toNewMerchant(session, firstKeys);
      },
    },
  } satisfies Partial<Handlers>;
}
