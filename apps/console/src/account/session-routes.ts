import Joi from 'joi';
import { textField } from '@rewardhook/contract';
import {
  endSession,
  findUserByEmail,
  listMemberships,
  normalizeEmail,
  noteAudit,
  noteUnchanged,
  selectSessionMerchant,
} from '@rewardhook/database';
import type { ChooseMerchantRequest, SessionView, SignInRequest } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { email, existingPassword } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import { checkPassword } from './check-password.ts';
import { actorOf, readSessionView, startSession } from './sessions.ts';

const signInFields = {
  email: email().required(),
  password: existingPassword().required(),
};

/** POST /sign-in */
export const signIn = (dependencies: ConsoleDependencies) =>
  openRoute<SignInRequest>(
    'POST',
    '/sign-in',
    async (call): Promise<SessionView> => {
      const address = normalizeEmail(call.body.email);
      const user = await checkPassword(dependencies, call.request, {
        email: address,
        password: call.body.password,
        find: () => findUserByEmail(dependencies.database, address),
      });
      const [first] = await listMemberships(dependencies.database, user.id);
      if (!first) throw refuse('no_merchant');
      return startSession(dependencies, call, {
        userId: user.id,
        email: user.email,
        passwordHash: user.passwordHash,
        merchantId: first.merchantId,
      });
    },
    {
      body: Joi.object<SignInRequest>(signInFields),
      audit: 'user.signed_in',
      auditRefusals: ['wrong_credentials'],
    },
  );

/** POST /sign-out: ends the session if there is one. */
export const signOut = ({ database, cookie }: ConsoleDependencies) =>
  openRoute(
    'POST',
    '/sign-out',
    async ({ session, request, response }) => {
      if (session) noteAudit({ actor: actorOf(session), merchantId: session.merchantId });
      const idSha256 = cookie.read(request);
      if (!idSha256 || !(await endSession(database, idSha256))) noteUnchanged();
      cookie.remove(response);
      return undefined;
    },
    { audit: 'user.signed_out' },
  );

/** GET /session */
export const showSession = (dependencies: ConsoleDependencies) =>
  route(
    'viewer',
    'GET',
    '/session',
    ({ session }): Promise<SessionView> => readSessionView(dependencies, session),
    { side: 'merchant' },
  );

/** POST /session/merchant: selects another merchant that the user belongs to. */
export const switchMerchant = (dependencies: ConsoleDependencies) =>
  route<ChooseMerchantRequest>(
    'viewer',
    'POST',
    '/session/merchant',
    async ({ session, body }): Promise<SessionView> => {
      const { merchant_id: merchantId } = body;
      noteAudit({ merchantId, subjectId: session.userId });
      if (!(await selectSessionMerchant(dependencies.database, session.idSha256, merchantId)))
        throw notFound();
      return readSessionView(dependencies, { ...session, merchantId: body.merchant_id });
    },
    {
      body: Joi.object<ChooseMerchantRequest>({ merchant_id: textField(255).required() }),
      side: 'merchant',
      audit: 'user.merchant_selected',
    },
  );
