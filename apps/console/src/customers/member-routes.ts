import Joi from 'joi';
import { pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import {
  findLinkingSettings,
  findMember,
  findMemberFilter,
  hasOrders,
  listAliases,
  listMembersPage,
  listReferralsPage,
  listRewardsPage,
  resolveMember,
} from '@rewardhook/database';
import type { MemberItem, MemberPage, MemberView, ReferralPage, ReferralView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { exportCsv } from '../http/export-csv.ts';
import { route } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';
import { listOrders } from './list-orders.ts';

/** GET /members */
export const showMembers = ({ database }: ConsoleDependencies) =>
  route<undefined, PageQuery & { search?: string }>(
    'viewer',
    'GET',
    '/members',
    ({ merchantId, query: { search, ...page } }): Promise<MemberPage> =>
      listMembersPage(database, merchantId, search, page),
    { query: Joi.object<PageQuery & { search?: string }>({ search: textField(255), ...pageFields }) },
  );

/** GET /members.csv: all members that match `search`, by member id. */
export const exportMembers = ({ database }: ConsoleDependencies) =>
  route<undefined, { search?: string }>(
    'viewer',
    'GET',
    '/members.csv',
    ({ merchantId, query, response }) =>
      exportCsv<MemberItem>(
        { database, query, response },
        'members.csv',
        {
          member_id: (member) => member.member_id,
          code: (member) => member.code,
          referrer_member_id: (member) => member.referrer_member_id,
          referees: (member) => member.referees,
          created_at: (member) => member.created_at,
        },
        (page) => listMembersPage(database, merchantId, query.search, page),
      ),
    {
      query: Joi.object<{ search?: string }>({ search: textField(255) }),
      audit: 'member.exported',
      limit: 'exports',
    },
  );

/** The page of each list in the view of a member. */
const newestPage = { after: null, limit: 50 };

/** GET /members/:member_id */
export const showMember = ({ database, apiPublicUrl }: ConsoleDependencies) =>
  route('viewer', 'GET', '/members/:member_id', async ({ merchantId, params }): Promise<MemberView> => {
    const memberId = await resolveMember(database, merchantId, String(params['member_id']));
    const found = await findMember(database, merchantId, memberId);
    if (!found && !(await hasOrders(database, merchantId, memberId))) throw notFound();
    const [aliases, linking, referrer, referees, orders, rewards] = await Promise.all([
      listAliases(database, merchantId, memberId),
      findLinkingSettings(database, merchantId),
      listReferralsPage(database, merchantId, { refereeMemberId: memberId }, newestPage),
      listReferralsPage(database, merchantId, { referrerMemberId: memberId }, newestPage),
      listOrders({ database }, merchantId, { memberId }, newestPage),
      listRewardsPage(database, merchantId, { memberId }, newestPage),
    ]);
    const code = found?.member.code ?? null;
    const shared = code !== null && linking?.landingUrl != null && apiPublicUrl !== undefined;
    return {
      member_id: memberId,
      aliases,
      code,
      created_at: found?.member.createdAt.toISOString() ?? null,
      link: shared ? `${apiPublicUrl}/r/${code}` : null,
      referrer: referrer.items[0] ?? null,
      referees: referees.items,
      referees_total: found?.referralCount ?? 0,
      orders: orders.items,
      rewards: rewards.items,
    };
  });

interface ReferralFilters {
  flagged?: boolean;
  review?: ReferralView['review'];
  member_id?: string;
}

const referralFilters = {
  flagged: Joi.boolean(),
  review: Joi.string().valid('none', 'pending', 'accepted', 'rejected'),
  member_id: textField(255),
};

/** GET /referrals */
export const showReferrals = ({ database }: ConsoleDependencies) =>
  route<undefined, ReferralFilters & PageQuery>(
    'viewer',
    'GET',
    '/referrals',
    ({ merchantId, query: { flagged, review, member_id: memberId, ...page } }): Promise<ReferralPage> =>
      filterByMember(database, merchantId, memberId, (filter) =>
        listReferralsPage(database, merchantId, { flagged, review, ...filter }, page),
      ),
    { query: Joi.object<ReferralFilters & PageQuery>({ ...referralFilters, ...pageFields }) },
  );

/** GET /referrals.csv: all referrals that match the filters, newest first. */
export const exportReferrals = ({ database }: ConsoleDependencies) =>
  route<undefined, ReferralFilters>(
    'viewer',
    'GET',
    '/referrals.csv',
    async ({ merchantId, query, response }) => {
      const { flagged, review, member_id: memberId } = query;
      const filter = await findMemberFilter(database, merchantId, memberId);
      return exportCsv<ReferralView>(
        { database, query, response },
        'referrals.csv',
        {
          referral_id: (referral) => referral.id,
          referrer_member_id: (referral) => referral.referrer_member_id,
          referee_member_id: (referral) => referral.referee_member_id,
          code: (referral) => referral.code,
          source: (referral) => referral.source,
          flags: (referral) => referral.flags.join(' '),
          linked_at: (referral) => referral.linked_at,
          review: (referral) => referral.review,
          reviewed_by: (referral) => referral.reviewed_by,
          reviewed_at: (referral) => referral.reviewed_at,
        },
        (page) => listReferralsPage(database, merchantId, { flagged, review, ...filter }, page),
      );
    },
    { query: Joi.object<ReferralFilters>(referralFilters), audit: 'referral.exported', limit: 'exports' },
  );
