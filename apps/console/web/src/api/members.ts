import { useQuery } from '@tanstack/react-query';
import { read } from './request.ts';
import type { MemberItem, MemberView, ReferralView } from './types.ts';
import { usePages } from './use-pages.ts';

export const useMembers = (search: string) => usePages<MemberItem>('/members', { search });

export const useReferrals = (query: { flagged?: 'true'; member_id?: string }) =>
  usePages<ReferralView>('/referrals', query);

export function useMember(memberId: string) {
  return useQuery({
    queryKey: ['/members', 'one', memberId],
    queryFn: () => read<MemberView>(`/members/${encodeURIComponent(memberId)}`),
  });
}
