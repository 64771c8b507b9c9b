import Joi from 'joi';
import { newId } from '@rewardhook/contract';
import { findUserByEmail, insertMerchant, isEmailTaken, newMerchant, plainEmail } from '@rewardhook/database';
import type { NewOwner, User } from '@rewardhook/database';
import { generateSigningSecret } from '@rewardhook/webhook';
import type { SignUpAnswer, SignUpRequest } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { email, newPassword, text, timezone } from '../http/fields.ts';
import { openRoute } from '../http/route.ts';
import type { OpenCall } from '../http/route.ts';
import { beginSession } from './begin-session.ts';
import { checkPassword } from './check-password.ts';
import { wrongCredentials } from './wrong-credentials.ts';

const body = Joi.object<SignUpRequest>({
  email: email().required(),
  password: newPassword().required(),
  merchant_name: text(255).trim().required(),
  timezone: timezone().default('Asia/Seoul'),
});

/**
 * POST /sign-up. Who has an account and gives its password gets one more merchant; with another password the answer is
 * that of a wrong login, after the same work.
 */
export const signUp = (parts: ConsoleParts) =>
  openRoute<SignUpRequest>(
    'POST',
    '/sign-up',
    async (call): Promise<SignUpAnswer> => {
      await parts.limits.trySignUp(call.request.ip ?? '');
      const { merchant_name: name, timezone: zone = 'Asia/Seoul' } = call.body;
      const address = plainEmail(call.body.email);
      const { owner, user } = await findOwner(parts, call, address);
      const signingSecret = generateSigningSecret();
      const merchant = newMerchant({ name, timezone: zone, signingSecret }, parts.sealer);
      await insertMerchant(parts.database, merchant.row, owner).catch((error: unknown) => {
        // Somebody signed up with it at the same moment.
        throw isEmailTaken(error) ? wrongCredentials() : error;
      });
      const session = await beginSession(parts, call, {
        userId: user.id,
        email: address,
        passwordHash: user.passwordHash,
        merchantId: merchant.row.id,
      });
      parts.log.info('a merchant signed up', { merchantId: merchant.row.id });
      return { session, secret_key: merchant.secretKey, public_key: merchant.publicKey };
    },
    { body, status: 201 },
  );

async function findOwner(
  parts: ConsoleParts,
  { request, body: { password } }: OpenCall<SignUpRequest, undefined>,
  address: string,
): Promise<{ owner: NewOwner; user: User }> {
  const find = () => findUserByEmail(parts.database, address);
  if (await find()) {
    const user = await checkPassword(parts, request, { email: address, password, find });
    return { owner: { userId: user.id }, user };
  }
  const passwordHash = await parts.passwords.hash(password);
  const newUser = { id: newId('usr'), email: address, passwordHash };
  return { owner: { newUser }, user: newUser };
}
