import type { Program, ProgramUsage, ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { rowsByKey } from '../client/rows-by-key.ts';
import { textArray } from '../client/sql-arrays.ts';

/**
 * Reads what counts against the limits of a rule and locks it until the transaction ends, so that neither a cap nor the
 * budget can be exceeded. Locks nothing that the rule does not limit.
 */
export async function lockProgramUsage(
  tx: Queryable,
  merchantId: string,
  { rule }: Program,
  referrals: Iterable<ReferralState>,
): Promise<ProgramUsage> {
  const hasCap = rule.referrerCap.total !== null || rule.referrerCap.month !== null;
  const byReferrer = hasCap ? await lockReferrers(tx, merchantId, referrals) : new Map<string, never>();
  if (rule.budget === null) return { spent: 0, byReferrer };
  const [program] = await tx.query<{ spent: string }>(
    'SELECT spent FROM programs WHERE merchant_id = $1 FOR UPDATE',
    [merchantId],
  );
  return { spent: Number(program?.spent ?? 0), byReferrer };
}

async function lockReferrers(
  tx: Queryable,
  merchantId: string,
  referrals: Iterable<ReferralState>,
): Promise<ProgramUsage['byReferrer']> {
  const referrers = new Set([...referrals].map(({ referrerMemberId }) => referrerMemberId));
  const locked = await tx.query<{ memberId: string }>(
    `SELECT m.member_id AS "memberId" FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (member_id)
     CROSS JOIN LATERAL
       ${rowsByKey('members', { column: 'member_id', value: 'wanted.member_id', lock: 'FOR NO KEY UPDATE' })} m`,
    [merchantId, textArray([...referrers])],
  );
  return countRewardsOfReferrers(
    tx,
    merchantId,
    locked.map(({ memberId }) => memberId),
  );
}

/** Counts the live rewards of referrers, in total and by month. */
export async function countRewardsOfReferrers(
  tx: Queryable,
  merchantId: string,
  referrers: string[],
): Promise<ProgramUsage['byReferrer']> {
  const counts = await tx.query<{ memberId: string; month: string; count: number }>(
    `SELECT w.member_id AS "memberId", w.month, count(*)::float8 AS count
     FROM unnest($2::text[]) AS wanted (member_id)
     CROSS JOIN LATERAL ${rowsByKey('rewards', { column: 'member_id', value: 'wanted.member_id' })} w
     WHERE w.role = 'referrer' AND w.state IN ('pending', 'confirmed')
     GROUP BY w.member_id, w.month`,
    [merchantId, referrers],
  );
  const byReferrer: ProgramUsage['byReferrer'] = new Map();
  for (const { memberId, month, count } of counts) {
    const usage = byReferrer.get(memberId) ?? { total: 0, months: new Map<string, number>() };
    usage.total += count;
    usage.months.set(month, count);
    byReferrer.set(memberId, usage);
  }
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
