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
import { invalidField, invalidRequest, notFound } from '../http/console-error.ts';
import { email, existingPassword, newPassword, role } from '../http/fields.ts';
import { openRoute, route } from '../http/route.ts';
import type { OpenCall } from '../http/route.ts';
import { beginSession } from '../auth/begin-session.ts';
import { checkPassword } from '../auth/check-password.ts';
import { requireStrongPassword } from '../auth/password-strength.ts';
import { requireMails } from '../mails/require-mails.ts';
import { wrongCredentials } from '../auth/wrong-credentials.ts';

/**
 * POST /team/invitations: mails a link to the invited address. Whoever invites never sees it: by opening it the invited
 * prove that the address is theirs.
 */
export const invite = (parts: ConsoleDependencies) =>
  route<InviteRequest>(
    'owner',
    'POST',
    '/team/invitations',
    async ({ merchantId, body, request }): Promise<InviteResponse> => {
      const { database, limits } = parts;
      const mails = requireMails(parts);
      const guest = { merchantId, email: normalizeEmail(body.email), role: body.role };
      const team = await listTeam(database, merchantId);
      // Accepting it would change nothing, not even the role.
      if (team.some((member) => member.email === guest.email)) throw invalidField('email', 'already_in_team');
      await limits.tryMail('inviteTo', request.ip ?? '', guest.email);
      const invitation = await insertInvitation(database, newInvitation(guest).row, { mail: true });
      mails.sendStored();
      return { invitation: viewInvitation(invitation) };
    },
    {
      body: Joi.object<InviteRequest>({ email: email().required(), role: role().required() }),
      status: 201,
    },
  );

/** An invitation in the form of the API. */
export function viewInvitation({ createdAt, expiresAt, ...invitation }: InvitationRow): InvitationView {
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
export const accept = (parts: ConsoleDependencies) =>
  openRoute<AcceptInvitationRequest>(
    'POST',
    '/invitations/:token/accept',
    async (call): Promise<AcceptInvitationResponse> => {
      const tokenSha256 = hashLinkToken(String(call.params['token']));
      const found = await findInvitation(parts.database, tokenSha256);
      if (!found) throw notFound();
      const guest = await identify(parts, call, found.email);
      const accepted = await acceptInvitation(parts.database, tokenSha256, guest).catch((error: unknown) => {
        throw isEmailTaken(error) ? wrongCredentials() : error;
      });
      if (!accepted) throw notFound();
      const { email: address, merchantId } = found;
      const { userId, passwordHash } = guest;
      return beginSession(parts, call, { userId, email: address, passwordHash, merchantId });
    },
    { body: Joi.object<AcceptInvitationRequest>({ password: existingPassword() }) },
  );

/** The invited user: signed in as such, or by the password of their account, or new with the password they chose. */
async function identify(
  parts: ConsoleDependencies,
  { session, request, body }: OpenCall<AcceptInvitationRequest, undefined>,
  address: string,
) {
  const { password } = body;
  if (password === undefined) {
    if (session?.email !== address) throw invalidField('password', 'required');
    const { passwordHash } = (await findUser(parts.database, session.userId)) ?? {};
    if (passwordHash === undefined) throw wrongCredentials();
    return { userId: session.userId, passwordHash, newUser: undefined };
  }
  const find = () => findUserByEmail(parts.database, address);
  if (await find()) {
    const user = await checkPassword(parts, request, { email: address, password, find });
    return { userId: user.id, passwordHash: user.passwordHash, newUser: undefined };
  }
  const chosen = newPassword()
    .required()
    .validate(password, { errors: { render: false } });
  const { '': error } = chosen.error ? fieldErrorsOf(chosen.error) : {};
  if (error) throw invalidRequest({ password: error });
  await requireStrongPassword('password', password, address);
  await parts.limits.trySignUp(request.ip ?? '');
  const userId = newId('usr');
  const passwordHash = await parts.passwords.hash(password);
  return { userId, passwordHash, newUser: { id: userId, email: address, passwordHash } };
}
