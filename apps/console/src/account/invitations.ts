import { fieldErrorsOf, newId } from '@rewardhook/contract';
import {
  acceptInvitation,
  findInvitation,
  findUser,
  findUserByEmail,
  hashLinkToken,
  insertInvitation,
  isEmailTaken,
  listTeam,
  newInvitation,
  normalizeEmail,
  noteAudit,
} from '@rewardhook/database';
import type { InvitationRow } from '@rewardhook/database';
import type { InvitationView, InviteResponse, PendingInvitation } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, invalidRequest, notFound, refuse } from '../http/console-error.ts';
import { email, existingPassword, newPassword, role } from '../http/fields.ts';
import type { Call, Handlers } from '../http/route.ts';
import { startSession } from './sessions.ts';
import { checkPassword } from './check-password.ts';
import { requireStrongPassword } from './password-strength.ts';
import { requireMails } from './account-mails.ts';

export function invitationHandlers(dependencies: ConsoleDependencies) {
  const { database, limits } = dependencies;
  return {
    /**
     * Mails a link to the invited address, valid for 7 days. The inviting user never sees the link, so opening it proves that the
     * address belongs to the invited user.
     */
    'POST /team/invitations': {
      input: { email: email().required(), role: role().required() },
      async handle({ merchantId, input, request }): Promise<InviteResponse> {
        const mails = requireMails(dependencies);
        const guest = { merchantId, email: normalizeEmail(input.email), role: input.role };
        const team = await listTeam(database, merchantId);
        // Accepting it would not change anything, not even the role.
        if (team.some((member) => member.email === guest.email))
          throw invalidField('email', 'already_in_team');
        await limits.tryMerchantMail('inviteTo', request.ip ?? '', { merchantId, recipient: guest.email });
        await mails.requireMailable('email', guest.email);
        const invitation = await insertInvitation(database, newInvitation(guest).row, { mail: true });
        mails.sendStored();
        return { invitation: toInvitationView(invitation) };
      },
    },

    async 'GET /invitations/:token'({ params }): Promise<PendingInvitation> {
      const found = await findInvitation(database, hashLinkToken(params.token));
      if (!found) throw notFound();
      const { email: address, role: given, expiresAt, merchantName } = found;
      return { email: address, role: given, merchant: { name: merchantName }, expires_at: expiresAt };
    },

    /** Answers with a session of the invited user at that merchant. */
    'POST /invitations/:token/accept': {
      input: { password: existingPassword() },
      async handle(call) {
        const tokenSha256 = hashLinkToken(call.params.token);
        const found = await findInvitation(database, tokenSha256);
        if (!found) throw notFound();
        const guest = await identify(dependencies, call, found.email);
        const { id: subjectId, merchantId, email: address } = found;
        noteAudit({ actor: { kind: 'user', id: guest.userId, email: address }, merchantId, subjectId });
        const accepted = await acceptInvitation(database, tokenSha256, guest).catch((error: unknown) => {
          throw isEmailTaken(error) ? refuse('wrong_credentials') : error;
        });
        if (!accepted) throw notFound();
        const { userId, passwordHash } = guest;
        const enteredPassword = call.input.password !== undefined;
        const user = { userId, email: address, passwordHash, merchantId, enteredPassword };
        return startSession(dependencies, call, user);
      },
    },
  } satisfies Partial<Handlers>;
}

/** An invitation in the form of the API. */
export function toInvitationView({ createdAt, expiresAt, ...invitation }: InvitationRow): InvitationView {
  return { ...invitation, created_at: createdAt, expires_at: expiresAt };
}

/**
 * The invited user: without a password by their session, otherwise by the password of their account, or a new user with the given
 * password.
 */
async function identify(
  dependencies: ConsoleDependencies,
  { session, request, input: { password } }: Call<'POST /invitations/:token/accept'>,
  address: string,
) {
  if (password === undefined) {
    if (session?.email !== address) throw invalidField('password', 'required');
    const { passwordHash } = (await findUser(dependencies.database, session.userId)) ?? {};
    if (passwordHash === undefined) throw refuse('wrong_credentials');
    return { userId: session.userId, passwordHash, newUser: undefined };
  }
  const find = () => findUserByEmail(dependencies.database, address);
  if (await find()) {
    const user = await checkPassword(dependencies, request, { email: address, password, find });
    return { userId: user.id, passwordHash: user.passwordHash, newUser: undefined };
  }
  const chosen = newPassword()
    .required()
    .validate(password, { errors: { render: false } });
  const { '': error } = chosen.error ? fieldErrorsOf(chosen.error) : {};
  if (error) throw invalidRequest({ password: error });
  await requireStrongPassword('password', password, address);
  await dependencies.limits.trySignUp(request.ip ?? '');
  const userId = newId('usr');
  const passwordHash = await dependencies.passwords.hash(password);
  return { userId, passwordHash, newUser: { id: userId, email: address, passwordHash } };
}
