import Joi from 'joi';
import { listInvitations, listTeam, revokeInvitation, updateMembership } from '@rewardhook/database';
import type { MembershipUpdate, TeamMemberRow } from '@rewardhook/database';
import type { ChangeRoleRequest, TeamMember, TeamView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { role } from '../http/fields.ts';
import { route } from '../http/route.ts';
import { toInvitationView } from '../account/invitations.ts';

/** GET /team */
export const showTeam = ({ database }: ConsoleDependencies) =>
  route(
    'owner',
    'GET',
    '/team',
    async ({ merchantId }): Promise<TeamView> => {
      const [members, invitations] = await Promise.all([
        listTeam(database, merchantId),
        listInvitations(database, merchantId),
      ]);
      return { members: members.map(toTeamMember), invitations: invitations.map(toInvitationView) };
    },
    { side: 'merchant' },
  );

/** PATCH /team/members/:user_id */
export const changeRole = ({ database }: ConsoleDependencies) =>
  route<ChangeRoleRequest>(
    'owner',
    'PATCH',
    '/team/members/:user_id',
    async ({ merchantId, params, body }): Promise<TeamMember> => {
      const userId = String(params['user_id']);
      const { role: requested, base, revoke_keys: revokeKeys } = body;
      requireChange(
        await updateMembership(database, {
          merchantId,
          userId,
          role: requested,
          formerRole: base?.role,
          revokeKeys,
        }),
      );
      const member = (await listTeam(database, merchantId)).find((row) => row.userId === userId);
      if (!member) throw notFound();
      return toTeamMember(member);
    },
    {
      body: Joi.object<ChangeRoleRequest>({
        role: role().required(),
        base: Joi.object({ role: role().required() }),
        revoke_keys: Joi.boolean(),
      }),
      side: 'merchant',
      audit: 'user.role_changed',
    },
  );

/** DELETE /team/members/:user_id, with `?revoke_keys=true` also the API keys that they created. */
export const removeMember = ({ database }: ConsoleDependencies) =>
  route<undefined, { revoke_keys: boolean }>(
    'owner',
    'DELETE',
    '/team/members/:user_id',
    async ({ merchantId, params, query }) => {
      const userId = String(params['user_id']);
      requireChange(
        await updateMembership(database, { merchantId, userId, role: null, revokeKeys: query.revoke_keys }),
      );
      return undefined;
    },
    {
      query: Joi.object<{ revoke_keys: boolean }>({ revoke_keys: Joi.boolean().default(false) }),
      side: 'merchant',
      audit: 'user.removed',
    },
  );

/** DELETE /team/invitations/:id */
export const withdrawInvitation = ({ database }: ConsoleDependencies) =>
  route(
    'owner',
    'DELETE',
    '/team/invitations/:id',
    async ({ merchantId, params }) => {
      if (!(await revokeInvitation(database, merchantId, String(params['id'])))) throw notFound();
      return undefined;
    },
    { side: 'merchant', audit: 'invitation.revoked' },
  );

function toTeamMember({ userId, email, role: given, joinedAt, liveKeys }: TeamMemberRow): TeamMember {
  return { user_id: userId, email, role: given, joined_at: joinedAt, live_keys: liveKeys };
}

function requireChange(change: MembershipUpdate): void {
  if (change === 'not_found') throw notFound();
  if (change === 'last_owner') throw refuse('last_owner');
}
