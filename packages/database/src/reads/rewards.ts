import type { Answer } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';
import { transact } from '../client/client.ts';
import { preferIndexes } from '../client/read-in-pages.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, ListQuery, PageRequest } from './list-page.ts';

/** A reward as the API answers with it. */
export type RewardListRow = Answer<'Reward'>;

/** The times of a reward that a list can be in the order of. */
export const rewardTimes = ['given', 'confirmed', 'revoked'] as const;

export interface RewardSearch {
  state?: string | undefined;
  memberId?: string | undefined;
  referralId?: string | undefined;
  orderId?: string | undefined;
  id?: string | undefined;
  role?: string | undefined;
  /** Which time the range and the order mean; the default is `given`. Only rewards that have it are listed. */
  by?: (typeof rewardTimes)[number] | undefined;
  /** From inclusive, until exclusive. */
  from?: string | undefined;
  until?: string | undefined;
}

// An amount as JSON is read as a number with all of its digits; the text of a floating-point number depends on a setting.
const columns = `id, state, role, member_id, order_id, referral_id, type, to_json(amount) AS amount, unit,
  program_version, rules.iso_utc(created_at) AS created_at, rules.iso_utc(confirm_due_at) AS confirm_due_at,
  rules.iso_utc(confirmed_at) AS confirmed_at, rules.iso_utc(ended_at) AS ended_at,
  coalesce(correction, CASE WHEN starts_with(subject, 'manual:') THEN 'granted' END) AS corrected, issued_member_id`;

// Each has an index of its own, with the condition.
const times: Record<NonNullable<RewardSearch['by']>, { time: string; of: string }> = {
  given: { time: 'rewards.created_at', of: '' },
  confirmed: { time: 'rewards.confirmed_at', of: ' AND rewards.confirmed_at IS NOT NULL' },
  revoked: { time: 'rewards.ended_at', of: ` AND rewards.state = 'revoked'` },
};

/** A page of a merchant's rewards, in the order of creation or of another time. @throws CursorError */
export function listRewardsPage(
  database: Sql,
  merchantId: string,
  search: RewardSearch,
  page: PageRequest & { order?: 'newest first' | 'oldest first' },
): Promise<ListPage<RewardListRow>> {
  const query = rewardsQuery(merchantId, search);
  return listPage(database, page.order ? { ...query, order: page.order } : query, page);
}

/** The list of rewards. */
export function rewardsQuery(merchantId: string, search: RewardSearch) {
  const { time, of } = times[search.by ?? 'given'];
  const conditions = openConditions(merchantId);
  conditions.addFilter('state = ?', search.state);
  conditions.add('member_id = ?', search.memberId);
  conditions.add('referral_id = ?', search.referralId);
  conditions.add('order_id = ?', search.orderId);
  conditions.add('id = ?', search.id);
  conditions.addFilter('role = ?', search.role);
  conditions.add(`${time} >= ?`, search.from);
  conditions.add(`${time} < ?`, search.until);
  const { sql, filter, values } = conditions;
  // Few rewards have another state than this one: they have an index of their own.
  const isUnconfirmed = of === '' && search.state !== undefined && search.state !== 'confirmed';
  const from = `FROM rewards WHERE merchant_id = $1${isUnconfirmed ? ` AND state <> 'confirmed'` : of}${sql}`;
  const { memberId, referralId, orderId, id } = search;
  const byIndex = [memberId, referralId, orderId, id].every((value) => value === undefined);
  return { columns, from, filter, values, time, id: 'id', byIndex } satisfies ListQuery;
}

/** The sums of rewards, by what was given. Units are not converted. */
export interface RewardTotals {
  totals: { type: 'points' | 'coupon'; unit: string; rewards: number; amount: number }[];
  /** Null when they contain all that match. Otherwise the number of the newest rewards among which they do. */
  newest: number | null;
}

/** The most rewards that are read for a sum. */
const mostSummed = 50_000;

/** Sums up the rewards of a list: those among the newest 50,000 that an index finds. */
export async function sumRewards(
  database: Sql,
  merchantId: string,
  search: RewardSearch,
): Promise<RewardTotals> {
  const { from, filter, values, time, byIndex } = rewardsQuery(merchantId, search);
  const sql = `
    SELECT CASE WHEN (SELECT count(*) FROM (SELECT 1 ${from} LIMIT ${mostSummed + 1}) found) > ${mostSummed}
        THEN ${mostSummed} END AS newest,
      (SELECT coalesce(json_agg(json_build_object('type', type, 'unit', unit, 'rewards', rewards, 'amount', amount)
        ORDER BY type DESC, unit), '[]')
      FROM (
        SELECT type, unit, count(*) AS rewards, sum(amount) AS amount
        FROM (SELECT type, unit, amount, true${filter} AS matches ${from} ORDER BY ${time} DESC LIMIT ${mostSummed}) newest
        WHERE matches GROUP BY type, unit) sums) AS totals`;
  const [row] = await transact(database, async (tx) => {
    if (byIndex) await preferIndexes(tx);
    return tx.query<RewardTotals & Record<string, unknown>>(sql, values);
  });
  if (!row) throw new Error('an aggregate has one row');
  return row;
}
