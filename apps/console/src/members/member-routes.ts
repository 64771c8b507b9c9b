import Joi from 'joi';
import {
  findLinking,
  findMember,
  searchMembers,
  searchOrders,
  searchReferrals,
  searchRewards,
} from '@rewardhook/database';
import type { MemberPage, MemberView, ReferralPage } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { notFound } from '../http/console-error.ts';
import { pageFields, text } from '../http/fields.ts';
import type { PageQuery } from '../http/fields.ts';
import { route } from '../http/route.ts';

/** GET /members */
export const showMembers = ({ database }: ConsoleParts) =>
  route<undefined, PageQuery & { search?: string }>(
    'viewer',
    'GET',
    '/members',
    ({ merchantId, query: { search, ...page } }): Promise<MemberPage> =>
      searchMembers(database, merchantId, search, page),
    { query: Joi.object<PageQuery & { search?: string }>({ search: text(255), ...pageFields }) },
  );

/** What a member's page shows of each list. */
const newest = { after: null, limit: 50 };

/** GET /members/:member_id */
export const showMember = ({ database, apiPublicUrl }: ConsoleParts) =>
  route('viewer', 'GET', '/members/:member_id', async ({ merchantId, params }): Promise<MemberView> => {
    const memberId = String(params['member_id']);
    const found = await findMember(database, merchantId, memberId);
    if (!found) throw notFound();
    const [linking, referrer, referees, orders, rewards] = await Promise.all([
      findLinking(database, merchantId),
      searchReferrals(database, merchantId, { refereeMemberId: memberId }, newest),
      searchReferrals(database, merchantId, { referrerMemberId: memberId }, newest),
      searchOrders(database, merchantId, { memberId }, newest),
      searchRewards(database, merchantId, { memberId }, newest),
    ]);
    const { code, createdAt } = found.member;
    const shared = linking?.landingUrl != null && apiPublicUrl !== undefined;
    return {
      member_id: memberId,
      code,
      created_at: createdAt.toISOString(),
      link: shared ? `${apiPublicUrl}/r/${code}` : null,
      referrer: referrer.items[0] ?? null,
      referees: referees.items,
      referees_total: found.broughtCount,
      orders: orders.items,
      rewards: rewards.items,
    };
  });

interface ReferralQuery extends PageQuery {
  flagged?: boolean;
  member_id?: string;
}

/** GET /referrals */
export const showReferrals = ({ database }: ConsoleParts) =>
  route<undefined, ReferralQuery>(
    'viewer',
    'GET',
    '/referrals',
    ({ merchantId, query: { flagged, member_id: memberId, ...page } }): Promise<ReferralPage> =>
      searchReferrals(database, merchantId, { flagged, memberId }, page),
    {
      query: Joi.object<ReferralQuery>({ flagged: Joi.boolean(), member_id: text(255), ...pageFields }),
    },
  );
