import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import {
  findMemberFilter,
  listRewardsPage,
  rewardExportColumns,
  rewardTimes,
  sumRewards,
} from '@rewardhook/database';
import type { RewardListRow } from '@rewardhook/database';
import type { ConsoleDependencies } from '../dependencies.ts';
import { exportCsv } from '../http/export-csv.ts';
import type { Handlers } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';

const rewardFilter = {
  state: Joi.string().valid('pending', 'confirmed', 'revoked', 'cancelled'),
  member_id: textField(255),
  order_id: textField(255),
  role: Joi.string().valid('referee', 'referrer'),
  by: Joi.string().valid(...rewardTimes),
  from: dateTimeField(),
  until: dateTimeField(),
};

const cellOf = Object.fromEntries(
  rewardExportColumns.map((column) => [
    column,
    (reward: RewardListRow) => (column === 'reward_id' ? reward.id : reward[column]),
  ]),
);

export const rewardHandlers = ({ database }: ConsoleDependencies) =>
  ({
    'GET /rewards': {
      input: { ...rewardFilter, ...pageFields },
      handle: ({ merchantId, input: { after, limit, member_id: memberId, order_id: orderId, ...rest } }) =>
        filterByMember(database, merchantId, memberId, (filter) =>
          listRewardsPage(
            database,
            merchantId,
            { ...rest, orderId, ...filter },
            { after, limit, bounded: true },
          ),
        ),
    },

    'GET /rewards/sums': {
      input: rewardFilter,
      async handle({ merchantId, input: { member_id: memberId, order_id: orderId, ...rest } }) {
        const filter = await findMemberFilter(database, merchantId, memberId);
        return sumRewards(database, merchantId, { ...rest, orderId, ...filter });
      },
    },

    /** Oldest first. */
    'GET /rewards.csv': {
      input: rewardFilter,
      async handle({ merchantId, input, response }) {
        const { member_id: memberId, order_id: orderId, ...rest } = input;
        const filter = await findMemberFilter(database, merchantId, memberId);
        const search = { ...rest, orderId, ...filter };
        return exportCsv({ database, input, response }, 'rewards.csv', cellOf, (page) =>
          listRewardsPage(database, merchantId, search, { ...page, order: 'oldest first', bounded: true }),
        );
      },
    },
  }) satisfies Partial<Handlers>;
