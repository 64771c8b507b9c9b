import Joi from 'joi';
import { listInvitations, listTeam, revokeInvitation, updateMembership } from '@rewardhook/database';
import type { MembershipUpdate, TeamMemberRow } from '@rewardhook/database';
import type { TeamMember, TeamView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound, refuse } from '../http/console-error.ts';
import { role } from '../http/fields.ts';
import type { Handlers } from '../http/route.ts';
import { toInvitationView } from '../account/invitations.ts';

export const teamHandlers = ({ database }: ConsoleDependencies) =>
  ({
    async 'GET /team'({ merchantId }): Promise<TeamView> {
      const [members, invitations] = await Promise.all([
        listTeam(database, merchantId),
        listInvitations(database, merchantId),
      ]);
      return { members: members.map(toTeamMember), invitations: invitations.map(toInvitationView) };
    },

    async 'DELETE /team/invitations/:id'({ merchantId, params }) {
      if (!(await revokeInvitation(database, merchantId, params.id))) throw notFound();
    },

    'PATCH /team/members/:user_id': {
      input: {
        role: role().required(),
        base: Joi.object({ role: role().required() }),
        revoke_keys: Joi.boolean(),
      },
      async handle({ merchantId, params: { user_id: userId }, input }) {
        const { role: requested, base, revoke_keys: revokeKeys } = input;
        const change = { merchantId, userId, role: requested, formerRole: base?.role, revokeKeys };
        requireChange(await updateMembership(database, change));
        const member = (await listTeam(database, merchantId)).find((row) => row.userId === userId);
        if (!member) throw notFound();
        return toTeamMember(member);
      },
    },

    'DELETE /team/members/:user_id': {
      input: { revoke_keys: Joi.boolean() },
      async handle({ merchantId, params: { user_id: userId }, input: { revoke_keys: revokeKeys = false } }) {
        requireChange(await updateMembership(database, { merchantId, userId, role: null, revokeKeys }));
      },
    },
  }) satisfies Partial<Handlers>;

function toTeamMember({ userId, email, role: given, joinedAt, liveKeys }: TeamMemberRow): TeamMember {
  return { user_id: userId, email, role: given, joined_at: joinedAt, live_keys: liveKeys };
}

function requireChange(change: MembershipUpdate): void {
  if (change === 'not_found') throw notFound();
  if (change === 'last_owner') throw refuse('last_owner');
}
