import type { Answer } from '@rewardhook/contract';
import { findMemberSummary } from '@rewardhook/database';
import type { MemberSummary } from '@rewardhook/database';
import { itemRoute } from '../resources/read-route.ts';
import type { ReadRoute } from '../resources/read-route.ts';

/**
 * GET /api/open/members/{member_id}/: a member's former ids, referral code, share link and referrer, and the numbers of their referees,
 * orders and rewards. `publicUrl` is the start of share links, without a slash at the end.
 */
export function memberRoute(publicUrl: string): ReadRoute {
  return itemRoute('/members/{member_id}', async (database, { merchantId, params }) => {
    const member = await findMemberSummary(database, merchantId, String(params['member_id']));
    return member && toMemberDocument(member, publicUrl);
  });
}

function toMemberDocument(member: MemberSummary, publicUrl: string): Answer<'Member'> {
  const { memberId, aliases, code, landingUrl, referrer, rewards } = member;
  return {
    member_id: memberId,
    aliases,
    referral_code: code,
    share_link: code === null || landingUrl === null ? null : `${publicUrl}/r/${code}`,
    created_at: member.createdAt?.toISOString() ?? null,
    referrer: referrer && {
      member_id: referrer.memberId,
      referral_id: referrer.referralId,
      code: referrer.code,
      linked_at: referrer.linkedAt.toISOString(),
      review: referrer.review,
      moves: referrer.moves,
    },
    counts: { referees: member.referees, orders: member.orders, rewards },
  };
}
