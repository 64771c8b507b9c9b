import { textField } from '@rewardhook/contract';
import {
  endSession,
  findUser,
  findUserByEmail,
  listMemberships,
  normalizeEmail,
  noteAudit,
  noteUnchanged,
  selectSessionMerchant,
  updateSessionPassword,
} from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { email, existingPassword } from '../http/fields.ts';
import type { Handlers } from '../http/route.ts';
import { checkPassword } from './check-password.ts';
import { actorOf, readSessionView, startSession } from './sessions.ts';

export function sessionHandlers(dependencies: ConsoleDependencies) {
  const { database, cookie } = dependencies;
  return {
    'GET /session': ({ session }) => readSessionView(dependencies, session),

    /** Selects another merchant that the user belongs to. */
    'POST /session/merchant': {
      input: { merchant_id: textField(255).required() },
      async handle({ session, input: { merchant_id: merchantId } }) {
        noteAudit({ merchantId, subjectId: session.userId });
        if (!(await selectSessionMerchant(database, session.idSha256, merchantId))) throw notFound();
        return readSessionView(dependencies, { ...session, merchantId });
      },
    },

    /** Whoever comes to a signed-in browser does not know the password: secrets are shown only shortly after it was entered. */
    'POST /session/password': {
      input: { password: existingPassword().required() },
      async handle({ session: { userId, email: address, idSha256 }, request, input: { password } }) {
        await checkPassword(dependencies, request, {
          email: address,
          password,
          find: () => findUser(database, userId),
        });
        noteAudit({ subjectId: userId });
        if (!(await updateSessionPassword(database, idSha256))) throw refuse('wrong_credentials');
      },
    },

    'POST /sign-in': {
      input: { email: email().required(), password: existingPassword().required() },
      async handle(call) {
        const address = normalizeEmail(call.input.email);
        const user = await checkPassword(dependencies, call.request, {
          email: address,
          password: call.input.password,
          find: () => findUserByEmail(database, address),
        });
        const [first] = await listMemberships(database, user.id);
        if (!first) throw refuse('no_merchant');
        return startSession(dependencies, call, {
          userId: user.id,
          email: user.email,
          passwordHash: user.passwordHash,
          merchantId: first.merchantId,
          enteredPassword: true,
        });
      },
    },

    /** Ends the session if there is one. */
    async 'POST /sign-out'({ session, request, response }) {
      if (session) noteAudit({ actor: actorOf(session), merchantId: session.merchantId });
      const idSha256 = cookie.read(request);
      if (!idSha256 || !(await endSession(database, idSha256))) noteUnchanged();
      cookie.remove(response);
    },
  } satisfies Partial<Handlers>;
}
