import Joi from 'joi';
import { dateTimeField, pageFields, textField } from '@rewardhook/contract';
import type { PageQuery } from '@rewardhook/contract';
import { findMemberFilter, listRewardsPage, rewardExportColumns } from '@rewardhook/database';
import type { RewardListRow } from '@rewardhook/database';
import type { RewardPage } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { exportCsv } from '../http/export-csv.ts';
import { route } from '../http/route.ts';
import { filterByMember } from './filter-by-member.ts';

interface Filters {
  state?: string;
  member_id?: string;
  order_id?: string;
  role?: string;
  from?: string;
  until?: string;
}

const filters = {
  state: Joi.string().valid('pending', 'confirmed', 'revoked', 'cancelled'),
  member_id: textField(255),
  order_id: textField(255),
  role: Joi.string().valid('referee', 'referrer'),
  from: dateTimeField(),
  until: dateTimeField(),
};

/** GET /rewards */
export const showRewards = ({ database }: ConsoleDependencies) =>
  route<undefined, Filters & PageQuery>(
    'viewer',
    'GET',
    '/rewards',
    ({
      merchantId,
      query: { after, limit, member_id: memberId, order_id: orderId, ...rest },
    }): Promise<RewardPage> =>
      filterByMember(database, merchantId, memberId, (filter) =>
        listRewardsPage(database, merchantId, { ...rest, orderId, ...filter }, { after, limit }),
      ),
    { query: Joi.object<Filters & PageQuery>({ ...filters, ...pageFields }) },
  );

const cellOf = Object.fromEntries(
  rewardExportColumns.map((column) => [
    column,
    (reward: RewardListRow) => (column === 'reward_id' ? reward.id : reward[column]),
  ]),
);

/** GET /rewards.csv: all rewards that match the filters, oldest first. */
export const exportRewards = ({ database }: ConsoleDependencies) =>
  route<undefined, Filters>(
    'viewer',
    'GET',
    '/rewards.csv',
    async ({ merchantId, query, response }) => {
      const { member_id: memberId, order_id: orderId, ...rest } = query;
      const filter = await findMemberFilter(database, merchantId, memberId);
      return exportCsv({ database, query, response }, 'rewards.csv', cellOf, (page) =>
        listRewardsPage(
          database,
          merchantId,
          { ...rest, orderId, ...filter },
          { ...page, order: 'oldest first' },
        ),
      );
    },
    { query: Joi.object<Filters>(filters), audit: 'reward.exported', limit: 'exports' },
  );
