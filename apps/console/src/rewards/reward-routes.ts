import Joi from 'joi';
import type { CsvCell } from '@rewardhook/contract';
import { rewardExportColumns, searchRewards } from '@rewardhook/database';
import type { RewardPage } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { moment, pageFields, text } from '../http/fields.ts';
import type { PageQuery } from '../http/fields.ts';
import { route } from '../http/route.ts';
import { sendCsv } from './send-csv.ts';

interface Filters {
  state?: string;
  member_id?: string;
  role?: string;
  from?: Date;
  until?: Date;
}

const filters = {
  state: Joi.string().valid('pending', 'confirmed', 'revoked', 'canceled'),
  member_id: text(255),
  role: Joi.string().valid('referee', 'referrer'),
  from: moment(),
  until: moment(),
};

const searchOf = ({ member_id: memberId, ...rest }: Filters) => ({ ...rest, memberId });

/** GET /rewards */
export const showRewards = ({ database }: ConsoleParts) =>
  route<undefined, Filters & PageQuery>(
    'viewer',
    'GET',
    '/rewards',
    ({ merchantId, query: { after, limit, ...given } }): Promise<RewardPage> =>
      searchRewards(database, merchantId, searchOf(given), { after, limit }),
    { query: Joi.object<Filters & PageQuery>({ ...filters, ...pageFields }) },
  );

/** Rewards that are read at a time; between two reads no connection to the database is held. */
const rowsAtATime = 1_000;

const cellsOf = (reward: Record<(typeof rewardExportColumns)[number], CsvCell>) =>
  rewardExportColumns.map((column) => reward[column]);

/** GET /rewards.csv: all that the filters let through, oldest first. */
export const exportRewards = ({ database }: ConsoleParts) =>
  route<undefined, Filters>(
    'viewer',
    'GET',
    '/rewards.csv',
    async ({ merchantId, query, response }) => {
      const search = searchOf(query);
      async function* rows() {
        let after: string | null = null;
        do {
          const page: Awaited<ReturnType<typeof searchRewards>> = await searchRewards(
            database,
            merchantId,
            search,
            { after, limit: rowsAtATime, order: 'oldest first' },
          );
          yield page.items.map(({ id, ...reward }) => cellsOf({ reward_id: id, ...reward }));
          after = page.next;
        } while (after !== null);
      }
      await sendCsv(response, 'rewards.csv', [...rewardExportColumns], rows());
    },
    { query: Joi.object<Filters>(filters) },
  );
