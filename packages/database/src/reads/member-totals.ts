import type { RewardState, RewardType } from '@rewardhook/contract';
import type { Queryable } from '../client/client.ts';

/** What a member has bought, brought and got. */
export interface MemberTotals {
  orders: number;
  /** The orders of their referees that the figures count, and what was paid for these without shipping, in won. */
  referred_orders: number;
  referred_revenue: number;
  /** By state and unit. */
  rewards: { state: RewardState; type: RewardType; unit: string; rewards: number; amount: number }[];
  /** Null when these are all. Otherwise the number of rows of each kind that were read. */
  counted: number | null;
}

/** The most rows of each kind that are read for the totals of one member. */
const mostCounted = 10_000;

/**
 * Each kind is found by an index that begins with the member, one row more than is counted.
 *
 *   $1  merchant id    $2  member id
 */
const totalsSql = `
  WITH bought AS (
    SELECT count(*)::int AS number
    FROM (SELECT 1 FROM orders WHERE merchant_id = $1 AND member_id = $2 LIMIT ${mostCounted + 1}) found
  ), referees AS MATERIALIZED (
    SELECT id FROM referrals WHERE merchant_id = $1 AND referrer_member_id = $2 LIMIT ${mostCounted + 1}
  ), referred AS MATERIALIZED (
    SELECT revenue FROM referees r
    CROSS JOIN LATERAL (SELECT revenue FROM referred_orders WHERE merchant_id = $1 AND referral_id = r.id OFFSET 0) f
    LIMIT ${mostCounted + 1}
  ), given AS MATERIALIZED (
    SELECT state, type, unit, amount FROM rewards WHERE merchant_id = $1 AND member_id = $2 LIMIT ${mostCounted + 1}
  )
  SELECT bought.number AS orders, (SELECT count(*)::int FROM referred) AS referred_orders,
    (SELECT coalesce(sum(revenue), 0)::float8 FROM referred) AS referred_revenue,
    (SELECT coalesce(json_agg(json_build_object('state', state, 'type', type, 'unit', unit, 'rewards', rewards, 'amount', amount)
        ORDER BY state, type DESC, unit), '[]')
      FROM (SELECT state, type, unit, count(*) AS rewards, sum(amount) AS amount FROM given GROUP BY 1, 2, 3) sums) AS rewards,
    CASE WHEN greatest(bought.number, (SELECT count(*) FROM referees), (SELECT count(*) FROM referred),
        (SELECT count(*) FROM given)) > ${mostCounted} THEN ${mostCounted} END AS counted
  FROM bought`;

/** Reads the totals of a member. */
export async function readMemberTotals(
  database: Queryable,
  merchantId: string,
  memberId: string,
): Promise<MemberTotals> {
  const [row] = await database.query<MemberTotals & Record<string, unknown>>(totalsSql, [
    merchantId,
    memberId,
  ]);
  if (!row) throw new Error('an aggregate has one row');
  return row;
}
