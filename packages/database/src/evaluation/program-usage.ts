import { budgetOf } from '@rewardhook/rewards';
import type { Program, ProgramUsage, Terms } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, runCounted, statement } from '../client/statement.ts';
import type { NoRow } from '../client/statement.ts';

const lockSpentSql = statement<{ spent: string }, [merchantId: string]>({
  name: 'lock the sum of live rewards',
  parameters: ['text'],
  columns: { spent: 'numeric' },
  text: 'SELECT spent FROM programs WHERE merchant_id = $1 FOR UPDATE',
});

/**
 * Locks what counts against the limits of a program until the transaction ends, so that neither a cap nor the budget can be
 * exceeded. Locks nothing that the program does not limit. Returns the sum of the live rewards, if there is a budget.
 */
export async function lockProgramUsage(
  tx: Queryable,
  merchantId: string,
  { terms }: Program,
  referrers: string[],
): Promise<number> {
  if (hasCap(terms)) await run(tx, lockReferrersSql, [merchantId, textArray([...new Set(referrers)])]);
  if (budgetOf(terms) === null) return 0;
  const [program] = await run(tx, lockSpentSql, [merchantId]);
  return Number(program?.spent ?? 0);
}

const hasCap = ({ limits: { referrerCap } }: Terms) =>
  referrerCap.total !== null || referrerCap.month !== null;

const lockReferrersSql = statement<NoRow, [merchantId: string, memberIds: string]>({
  name: 'lock referrers',
  parameters: ['text', 'text[]'],
  columns: {},
  text: `
    SELECT FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (member_id)
    CROSS JOIN LATERAL (
      SELECT * FROM members
      WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted.member_id AND member_id <= wanted.member_id
      ORDER BY member_id OFFSET 0 FOR NO KEY UPDATE) m`,
});

/** A referrer, and the month of an order of a member whom they referred: null when it is not paid. */
export interface ReferrerMonth {
  memberId: string;
  month: string | null;
}

/** The referrers of orders that are due, with the months of these orders. */
export function referrerMonths(
  due: { order: { month: string | null }; referral: { referrerMemberId: string } | null }[],
): ReferrerMonth[] {
  return due.flatMap(({ order, referral }) =>
    referral ? { memberId: referral.referrerMemberId, month: order.month } : [],
  );
}

/** Counts live rewards of referrers, at most `limit` of each. Only the index of these rewards has their order. */
const countTotalsSql = statement<
  Pick<ReferrerMonth, 'memberId'> & { count: number },
  [merchantId: string, memberIds: string, limit: number]
>({
  name: 'count rewards of referrers',
  parameters: ['text', 'text[]', 'bigint'],
  columns: { memberId: 'text', count: 'double precision' },
  text: `
    SELECT wanted.*, counted.count
    FROM unnest($2::text[]) AS wanted ("memberId")
    CROSS JOIN LATERAL (
      SELECT count(*)::float8 AS count FROM (
        SELECT FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted."memberId" AND member_id <= wanted."memberId"
          AND role = 'referrer' AND state IN ('pending', 'confirmed')
        ORDER BY member_id, month LIMIT $3) one) counted`,
});

/** As {@link countTotalsSql}, of rewards for orders that were paid in a month. */
const countMonthsSql = statement<
  ReferrerMonth & { count: number },
  [merchantId: string, memberIds: string, limit: number, months: string]
>({
  name: 'count rewards of referrers by month',
  parameters: ['text', 'text[]', 'bigint', 'text[]'],
  columns: { memberId: 'text', month: 'text', count: 'double precision' },
  text: `
    SELECT wanted.*, counted.count
    FROM unnest($2::text[], $4::text[]) AS wanted ("memberId", month)
    CROSS JOIN LATERAL (
      SELECT count(*)::float8 AS count FROM (
        SELECT FROM rewards
        WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted."memberId" AND member_id <= wanted."memberId"
          AND month = wanted.month AND role = 'referrer' AND state IN ('pending', 'confirmed')
        ORDER BY member_id, month LIMIT $3) one) counted`,
});

/**
 * Counts the live rewards of referrers that count against the caps of a program, in total and in the months of their orders.
 * It counts no further than a cap and `more`, the number of rewards that the caller may withdraw: what is beyond does not
 * change a decision.
 */
export async function countRewardsOfReferrers(
  tx: Queryable,
  merchantId: string,
  { limits: { referrerCap } }: Terms,
  orders: ReferrerMonth[],
  more = 0,
): Promise<ProgramUsage['byReferrer']> {
  const byReferrer: ProgramUsage['byReferrer'] = new Map();
  if (referrerCap.total === null && referrerCap.month === null) return byReferrer;
  const referrers = [...new Set(orders.map(({ memberId }) => memberId))];
  const byKey = new Map(orders.map((order) => [JSON.stringify([order.memberId, order.month]), order]));
  const paid = [...byKey.values()].filter(({ month }) => month !== null);
  const { total, month: ofMonth } = referrerCap;
  const [totals, counts] = await Promise.all([
    total === null || referrers.length === 0
      ? []
      : run(tx, countTotalsSql, [merchantId, textArray(referrers), total + more]),
    ofMonth === null || paid.length === 0
      ? []
      : run(tx, countMonthsSql, [
          merchantId,
          textArray(paid.map(({ memberId }) => memberId)),
          ofMonth + more,
          textArray(paid.map(({ month }) => month)),
        ]),
  ]);
  const totalOf = new Map(totals.map((one) => [one.memberId, one.count]));
  for (const memberId of referrers)
    byReferrer.set(memberId, { total: totalOf.get(memberId) ?? 0, months: new Map() });
  for (const { memberId, month, count: rewards } of counts)
    byReferrer.get(memberId)?.months.set(month ?? '', rewards);
  return byReferrer;
}

const updateSpentSql = statement<NoRow, [merchantId: string, change: bigint]>({
  name: 'change the sum of live rewards',
  parameters: ['text', 'numeric'],
  columns: {},
  text: 'UPDATE programs SET spent = spent + $2::numeric WHERE merchant_id = $1',
});

/** Adds to the sum of live rewards. To be called last in its transaction: a merchant has one such row. */
export async function updateSpent(tx: Queryable, merchantId: string, change: bigint): Promise<void> {
  if (change === 0n) return;
  await runCounted(tx, updateSpentSql, [merchantId, change]);
}
