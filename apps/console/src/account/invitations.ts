import Joi from 'joi';
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
import type {
  AcceptInvitationResponse,
  AcceptInvitationRequest,
  InvitationView,
  InviteResponse,
  InviteRequest,
  PendingInvitation,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, invalidRequest, notFound, refuse } from '../http/console-error.ts';
import { email, existingPassword, newPassword, role } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import type { OpenCall } from '../http/route.ts';
import { startSession } from './sessions.ts';
import { checkPassword } from './check-password.ts';
import { requireStrongPassword } from './password-strength.ts';
import { requireMails } from './account-mails.ts';

/**
 * POST /team/invitations: mails a link to the invited address. The inviting user never sees the link, so opening it proves
 * that the address belongs to the invited user.
 */
export const invite = (dependencies: ConsoleDependencies) =>
  route<InviteRequest>(
    'owner',
    'POST',
    '/team/invitations',
    async ({ merchantId, body, request }): Promise<InviteResponse> => {
      const { database, limits } = dependencies;
      const mails = requireMails(dependencies);
      const guest = { merchantId, email: normalizeEmail(body.email), role: body.role };
      const team = await listTeam(database, merchantId);
      // Accepting it would not change anything, not even the role.
      if (team.some((member) => member.email === guest.email)) throw invalidField('email', 'already_in_team');
      await limits.tryMerchantMail('inviteTo', request.ip ?? '', { merchantId, recipient: guest.email });
      await mails.requireMailable('email', guest.email);
      const invitation = await insertInvitation(database, newInvitation(guest).row, { mail: true });
      mails.sendStored();
      return { invitation: toInvitationView(invitation) };
    },
    {
      body: Joi.object<InviteRequest>({ email: email().required(), role: role().required() }),
      status: 201,
      side: 'merchant',
      audit: 'invitation.created',
    },
  );

/** An invitation in the form of the API. */
export function toInvitationView({ createdAt, expiresAt, ...invitation }: InvitationRow): InvitationView {
  return { ...invitation, created_at: createdAt, expires_at: expiresAt };
}

/** GET /invitations/:token */
export const showInvitation = ({ database }: ConsoleDependencies) =>
  openRoute('GET', '/invitations/:token', async ({ params }): Promise<PendingInvitation> => {
    const found = await findInvitation(database, hashLinkToken(String(params['token'])));
    if (!found) throw notFound();
    const { email: address, role: given, expiresAt, merchantName } = found;
    return { email: address, role: given, merchant: { name: merchantName }, expires_at: expiresAt };
  });

/** POST /invitations/:token/accept */
export const accept = (dependencies: ConsoleDependencies) =>
  openRoute<AcceptInvitationRequest>(
    'POST',
    '/invitations/:token/accept',
    async (call): Promise<AcceptInvitationResponse> => {
      const tokenSha256 = hashLinkToken(String(call.params['token']));
      const found = await findInvitation(dependencies.database, tokenSha256);
      if (!found) throw notFound();
      const guest = await identify(dependencies, call, found.email);
      const { id: subjectId, merchantId } = found;
      noteAudit({ actor: { kind: 'user', id: guest.userId, email: found.email }, merchantId, subjectId });
      const accepted = await acceptInvitation(dependencies.database, tokenSha256, guest).catch(
        (error: unknown) => {
          throw isEmailTaken(error) ? refuse('wrong_credentials') : error;
        },
      );
      if (!accepted) throw notFound();
      const { email: address } = found;
      const { userId, passwordHash } = guest;
      return startSession(dependencies, call, { userId, email: address, passwordHash, merchantId });
    },
    {
      body: Joi.object<AcceptInvitationRequest>({ password: existingPassword() }),
      audit: 'invitation.accepted',
      auditRefusals: ['wrong_credentials'],
    },
  );

/** The invited user: by their session, by the password of their account, or a new user with the given password. */
async function identify(
  dependencies: ConsoleDependencies,
  { session, request, body }: OpenCall<AcceptInvitationRequest, undefined>,
  address: string,
) {
  const { password } = body;
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
