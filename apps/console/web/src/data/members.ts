import { useQuery } from '@tanstack/react-query';
import { change, read } from './request.ts';
import type {
  MemberItem,
  MergedMemberView,
  MergeMemberRequest,
  MemberView,
  MovedReferral,
  MoveReferralRequest,
  ReferralDetail,
  ReferralView,
} from './types.ts';
import { useChange } from './use-change.ts';
import { usePages } from './use-pages.ts';

export const useMembers = (search: string) => usePages<MemberItem>('/members', { search });

export const useReferrals = (query: { flagged?: 'true'; review?: 'pending'; member_id?: string }) =>
  usePages<ReferralView>('/referrals', query);

export function useMember(memberId: string) {
  return useQuery({
    queryKey: ['/members', 'one', memberId],
    queryFn: () => read<MemberView>(`/members/${encodeURIComponent(memberId)}`),
  });
}

export function useReferral(id: string) {
  return useQuery({
    queryKey: ['/referrals', 'one', id],
    queryFn: () => read<ReferralDetail>(`/referrals/${encodeURIComponent(id)}`),
    refetchInterval: 5_000,
  });
}

/** Moves a referral to another referrer, or shows what that would change. */
export const useMoveReferral = (referralId: string) =>
  useChange(
    (body: MoveReferralRequest) =>
      change<MovedReferral>('POST', `/referrals/${encodeURIComponent(referralId)}/move`, body),
    [['/referrals'], ['/rewards'], ['/orders'], ['/members'], ['/home']],
  );

/** Merges a member into another one, or shows what that would change. */
export const useMergeMember = (memberId: string) =>
  useChange(
    (body: MergeMemberRequest) =>
      change<MergedMemberView>('POST', `/members/${encodeURIComponent(memberId)}/merge`, body),
    [['/members'], ['/referrals'], ['/rewards'], ['/orders'], ['/home']],
  );

export const useReviewReferral = () =>
  useChange(
    ({ referralId, decision }: { referralId: string; decision: 'accept' | 'reject' }) =>
      change<ReferralDetail>('POST', `/referrals/${encodeURIComponent(referralId)}/${decision}`),
    [['/referrals'], ['/rewards'], ['/orders'], ['/members'], ['/home']],
  );
