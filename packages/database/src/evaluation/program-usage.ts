import type { Program, ProgramRule, ProgramUsage, ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { rowsByKey } from '../client/rows-by-key.ts';
import { textArray } from '../client/sql-arrays.ts';

/**
 * Locks what counts against the limits of a rule until the transaction ends, so that neither a cap nor the budget can be
 * exceeded. Locks nothing that the rule does not limit. Returns the sum of the live rewards, if there is a budget.
 */
export async function lockProgramUsage(
  tx: Queryable,
  merchantId: string,
  { rule }: Program,
  referrals: Iterable<ReferralState>,
): Promise<number> {
  if (hasCap(rule)) await lockReferrers(tx, merchantId, referrals);
  if (rule.budget === null) return 0;
  const [program] = await tx.query<{ spent: string }>(
    'SELECT spent FROM programs WHERE merchant_id = $1 FOR UPDATE',
    [merchantId],
  );
  return Number(program?.spent ?? 0);
}

const hasCap = ({ referrerCap }: ProgramRule) => referrerCap.total !== null || referrerCap.month !== null;

async function lockReferrers(
  tx: Queryable,
  merchantId: string,
  referrals: Iterable<ReferralState>,
): Promise<void> {
  const referrers = new Set([...referrals].map(({ referrerMemberId }) => referrerMemberId));
  await tx.query(
    `SELECT 1 FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (member_id)
     CROSS JOIN LATERAL
       ${rowsByKey('members', { column: 'member_id', value: 'wanted.member_id', lock: 'FOR NO KEY UPDATE' })} m`,
    [merchantId, textArray([...referrers])],
  );
}

/** A referrer, and the month of an order of a member whom they referred: null when it is not paid. */
export interface ReferrerMonth {
  memberId: string;
  month: string | null;
}

/** SQL that counts live rewards of the referrers `wanted`, at most $3 of each. Only the index of these rewards has their order. */
const countSql = (wanted: string, condition = '') => `
  SELECT wanted.*, counted.count
  FROM ${wanted}
  CROSS JOIN LATERAL (
    SELECT count(*)::float8 AS count FROM (
      SELECT 1 FROM rewards
      WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted."memberId" AND member_id <= wanted."memberId"
        ${condition} AND role = 'referrer' AND state IN ('pending', 'confirmed')
      ORDER BY member_id, month LIMIT $3) one) counted`;

/** $1 merchant id, $2 member ids, $3 limit. */
const totalSql = countSql('unnest($2::text[]) AS wanted ("memberId")');
/** $1 merchant id, $2 member ids, $3 limit, $4 months of the members. */
const monthSql = countSql(
  'unnest($2::text[], $4::text[]) AS wanted ("memberId", month)',
  'AND month = wanted.month',
);

/**
 * Counts the live rewards of referrers that count against the caps of a rule, in total and in the months of their orders.
 * It counts no further than a cap and `more`, the number of rewards that the caller may withdraw: what is beyond does not
 * change a decision.
 */
export async function countRewardsOfReferrers(
  tx: Queryable,
  merchantId: string,
  { referrerCap }: ProgramRule,
  orders: ReferrerMonth[],
  more = 0,
): Promise<ProgramUsage['byReferrer']> {
  const byReferrer: ProgramUsage['byReferrer'] = new Map();
  if (referrerCap.total === null && referrerCap.month === null) return byReferrer;
  const referrers = [...new Set(orders.map(({ memberId }) => memberId))].map((memberId) => ({
    memberId,
    month: null,
  }));
  const months = new Map(orders.map((order) => [JSON.stringify([order.memberId, order.month]), order]));
  const count = (sql: string, cap: number | null, wanted: ReferrerMonth[], ...values: unknown[]) =>
    cap === null || wanted.length === 0
      ? []
      : tx.query<ReferrerMonth & { count: number }>(sql, [
          merchantId,
          textArray(wanted.map(({ memberId }) => memberId)),
          cap + more,
          ...values,
        ]);
  const paid = [...months.values()].filter(({ month }) => month !== null);
  const [totals, counts] = await Promise.all([
    count(totalSql, referrerCap.total, referrers),
    count(monthSql, referrerCap.month, paid, textArray(paid.map(({ month }) => month))),
  ]);
  const totalOf = new Map(totals.map((one) => [one.memberId, one.count]));
  for (const { memberId } of referrers)
    byReferrer.set(memberId, { total: totalOf.get(memberId) ?? 0, months: new Map() });
  for (const { memberId, month, count: rewards } of counts)
    byReferrer.get(memberId)?.months.set(month ?? '', rewards);
  return byReferrer;
}

/** Adds to the sum of live rewards. To be called last in its transaction: a merchant has one such row. */
export async function updateSpent(tx: Queryable, merchantId: string, change: bigint): Promise<void> {
  if (change === 0n) return;
  await tx.execute('UPDATE programs SET spent = spent + $2::numeric WHERE merchant_id = $1', [
    merchantId,
    change,
  ]);
}
