import type { Answer } from '@rewardhook/contract';
import type { Sql } from '../client/client.ts';
import { listPage, openConditions } from './list-page.ts';
import type { ListPage, PageRequest } from './list-page.ts';

/** A reward as the API answers with it. */
export type RewardListRow = Answer<'Reward'>;

export interface RewardSearch {
  state?: string | undefined;
  memberId?: string | undefined;
  referralId?: string | undefined;
  orderId?: string | undefined;
  id?: string | undefined;
  role?: string | undefined;
  /** Range of creation: from inclusive, until exclusive. */
  from?: string | undefined;
  until?: string | undefined;
}

// An amount as JSON is read as a number with all of its digits; the text of a floating-point number depends on a setting.
const columns = `id, state, role, member_id, order_id, referral_id, type, to_json(amount) AS amount, unit,
  program_version, rules.iso_utc(created_at) AS created_at, rules.iso_utc(confirm_due_at) AS confirm_due_at,
  rules.iso_utc(confirmed_at) AS confirmed_at, rules.iso_utc(ended_at) AS ended_at,
  coalesce(correction, CASE WHEN starts_with(subject, 'manual:') THEN 'granted' END) AS corrected, issued_member_id`;

/** A page of a merchant's rewards, in the order of creation. @throws CursorError */
export function listRewardsPage(
  database: Sql,
  merchantId: string,
  search: RewardSearch,
  page: PageRequest & { order?: 'newest first' | 'oldest first' },
): Promise<ListPage<RewardListRow>> {
  const conditions = openConditions(merchantId);
  conditions.addFilter('state = ?', search.state);
  conditions.add('member_id = ?', search.memberId);
  conditions.add('referral_id = ?', search.referralId);
  conditions.add('order_id = ?', search.orderId);
  conditions.add('id = ?', search.id);
  conditions.addFilter('role = ?', search.role);
  conditions.add('rewards.created_at >= ?', search.from);
  conditions.add('rewards.created_at < ?', search.until);
  const { sql, filter, values } = conditions;
  // Few rewards have another state than this one: they have an index of their own.
  const unconfirmed =
    search.state === undefined || search.state === 'confirmed' ? '' : ` AND state <> 'confirmed'`;
  const from = `FROM rewards WHERE merchant_id = $1${unconfirmed}${sql}`;
  const { memberId, referralId, orderId, id } = search;
  const byIndex = [memberId, referralId, orderId, id].every((value) => value === undefined);
  const query = { columns, from, filter, values, time: 'rewards.created_at', id: 'id', byIndex };
  return listPage(database, page.order ? { ...query, order: page.order } : query, page);
}
