import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import {
  findLinkingSettings,
  findMember,
  findMemberFilter,
  hasOrders,
  listAliases,
  listMembersPage,
  listMerges,
  listReferralsPage,
  listRewardsPage,
  readMemberTotals,
  resolveMember,
} from '@rewardhook/database';
import type { MemberFilter, MemberRow, ReferralRow, ReferralSearch } from '@rewardhook/database';
import type { MemberView, ReferralFilter } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { notFound } from '../http/console-error.ts';
import { exportCsv } from '../http/export-csv.ts';
import type { Handlers } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';
import { listOrders } from './list-orders.ts';

const memberFilter = { search: textField(255) };

const referralFilter = {
  flagged: Joi.boolean(),
  review: Joi.string().valid('none', 'pending', 'accepted', 'rejected'),
  member_id: textField(255),
  counted: Joi.boolean().valid(true),
  from: dateTimeField(),
  until: dateTimeField(),
};

const toSearch = (
  { counted, flagged, review, from, until }: ReferralFilter,
  filter: MemberFilter,
): ReferralSearch => ({
  flagged,
  review,
  from,
  until,
  ...filter,
  ...(counted && { counted: true as const }),
});

/** The page of each list in the view of a member. */
const newestPage = { after: null, limit: 50 };

export const memberHandlers = ({ database, apiPublicUrl }: ConsoleDependencies) =>
  ({
    'GET /members': {
      input: { ...memberFilter, ...pageFields },
      handle: ({ merchantId, input: { search, ...page } }) =>
        listMembersPage(database, merchantId, search, page),
    },

    'GET /members.csv': {
      input: memberFilter,
      handle: ({ merchantId, input, response }) =>
        exportCsv<MemberRow>(
          { database, input, response },
          'members.csv',
          {
            member_id: (member) => member.member_id,
            code: (member) => member.code,
            referrer_member_id: (member) => member.referrer_member_id,
            referees: (member) => member.referees,
            created_at: (member) => member.created_at,
          },
          (page) => listMembersPage(database, merchantId, input.search, page),
        ),
    },

    async 'GET /members/:member_id'({ merchantId, params }): Promise<MemberView> {
      const memberId = await resolveMember(database, merchantId, params.member_id);
      const found = await findMember(database, merchantId, memberId);
      if (!found && !(await hasOrders(database, merchantId, memberId))) throw notFound();
      const [aliases, merges, totals, linking, referrer, referees, orders, rewards] = await Promise.all([
        listAliases(database, merchantId, memberId),
        listMerges(database, merchantId, memberId),
        readMemberTotals(database, merchantId, memberId),
        findLinkingSettings(database, merchantId),
        listReferralsPage(database, merchantId, { refereeMemberId: memberId }, newestPage),
        listReferralsPage(database, merchantId, { referrerMemberId: memberId }, newestPage),
        listOrders(database, merchantId, { memberId }, newestPage),
        listRewardsPage(database, merchantId, { memberId }, newestPage),
      ]);
      const code = found?.member.code ?? null;
      const shared = code !== null && linking?.landingUrl != null && apiPublicUrl !== undefined;
      return {
        member_id: memberId,
        aliases,
        merges,
        totals,
        code,
        created_at: found?.member.createdAt.toISOString() ?? null,
        link: shared ? `${apiPublicUrl}/r/${code}` : null,
        referrer: referrer.items[0] ?? null,
        referees: referees.items,
        referees_total: found?.referralCount ?? 0,
        orders: orders.items,
        rewards: rewards.items,
      };
    },

    'GET /referrals': {
      input: { ...referralFilter, ...pageFields },
      handle: ({ merchantId, input: { after, limit, ...input } }) =>
        filterByMember(database, merchantId, input.member_id, (filter) =>
          listReferralsPage(database, merchantId, toSearch(input, filter), { after, limit, bounded: true }),
        ),
    },

    'GET /referrals.csv': {
      input: referralFilter,
      async handle({ merchantId, input, response }) {
        const filter = await findMemberFilter(database, merchantId, input.member_id);
        const search = toSearch(input, filter);
        return exportCsv<ReferralRow>(
          { database, input, response },
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
          (page) => listReferralsPage(database, merchantId, search, { ...page, bounded: true }),
        );
      },
    },
  }) satisfies Partial<Handlers>;
