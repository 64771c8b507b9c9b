import { useMutation, useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import { useSetSession } from './session.ts';
import type {
  ConsoleRole,
  InviteResponse,
  InviteRequest,
  PendingInvitation,
  SessionView,
  TeamMember,
  TeamView,
} from './types.ts';
import { useChange } from './use-change.ts';

const stale = [['/team']];

export function useTeam() {
  return useQuery({ queryKey: ['/team'], queryFn: () => read<TeamView>('/team') });
}

export const useInvite = () =>
  useChange((input: InviteRequest) => change<InviteResponse>('POST', '/team/invitations', input), stale);

export const useRevokeInvitation = () =>
  useChange((id: string) => change<void>('DELETE', `/team/invitations/${id}`), stale);

export const useChangeRole = () =>
  useChange(
    ({
      userId,
      role,
      shown,
      revokeKeys,
    }: {
      userId: string;
      role: ConsoleRole;
      shown: ConsoleRole;
      revokeKeys: boolean;
    }) =>
      change<TeamMember>('PATCH', `/team/members/${userId}`, {
        role,
        base: { role: shown },
        revoke_keys: revokeKeys,
      }),
    [...stale, ['/credentials'], ['session']],
  );

export const useRemoveTeamMember = () =>
  useChange(
    ({ userId, revokeKeys }: { userId: string; revokeKeys: boolean }) =>
      change<void>('DELETE', `/team/members/${userId}`, undefined, { revoke_keys: String(revokeKeys) }),
    [...stale, ['/credentials']],
  );

export function useInvitation(token: string) {
  return useQuery({
    queryKey: ['/invitations', token],
    queryFn: () => read<PendingInvitation>(`/invitations/${encodeURIComponent(token)}`),
  });
}

export function useAcceptInvitation(token: string) {
  const setSession = useSetSession();
  return useMutation({
    mutationFn: (password: string | undefined) =>
      change<SessionView>(
        'POST',
        `/invitations/${encodeURIComponent(token)}/accept`,
        password ? { password } : {},
      ),
    onSuccess: setSession,
  });
}
