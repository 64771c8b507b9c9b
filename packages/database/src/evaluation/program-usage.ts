import type { Program, ProgramUsage, ReferralState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';

/**
 * Reads what counts against the limits of the rule, and keeps others from changing it until this transaction ends:
 * so a cap or a budget cannot be overshot. Locks nothing where there is no limit.
 */
export async function lockProgramUsage(
  tx: Queryable,
  merchantId: string,
  { rule }: Program,
  referrals: Iterable<ReferralState>,
): Promise<ProgramUsage> {
  const capped = rule.referrerCap.total !== null || rule.referrerCap.month !== null;
  const byReferrer = capped ? await lockReferrers(tx, merchantId, referrals) : new Map<string, never>();
  if (rule.budget === null) return { spent: 0, byReferrer };
  const [program] = await tx.query<{ spent: string }>(
    `
    SELECT spent FROM programs WHERE merchant_id = $1 FOR UPDATE`,
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
  const locked = await tx.query<{ member_id: string }>(
    `SELECT member_id FROM members
     WHERE merchant_id = (SELECT $1::text) AND member_id = ANY($2::text[]) ORDER BY member_id FOR NO KEY UPDATE`,
    [merchantId, textArray([...referrers])],
  );
  return countByReferrer(
    tx,
    merchantId,
    locked.map(({ member_id }) => member_id),
  );
}

/** Live rewards of these referrers, in all and by month. */
export async function countByReferrer(
  tx: Queryable,
  merchantId: string,
  referrers: string[],
): Promise<ProgramUsage['byReferrer']> {
  const counts = await tx.query<{ member_id: string; month: string; count: string }>(
    `SELECT w.member_id, w.month, count(*) AS count
     FROM unnest($2::text[]) AS wanted (member_id)
     CROSS JOIN LATERAL (SELECT * FROM rewards WHERE merchant_id = (SELECT $1::text) AND member_id = wanted.member_id OFFSET 0) w
     WHERE w.role = 'referrer' AND w.state IN ('pending', 'confirmed')
     GROUP BY w.member_id, w.month`,
    [merchantId, referrers],
  );
  const byReferrer: ProgramUsage['byReferrer'] = new Map();
  for (const { member_id, month, count } of counts) {
    const use = byReferrer.get(member_id) ?? { total: 0, months: new Map<string, number>() };
    use.total += Number(count);
    use.months.set(month, Number(count));
    byReferrer.set(member_id, use);
  }
  return byReferrer;
}

/** Books the change of the sum of live rewards. Last in its transaction: the row is one for the whole merchant. */
export async function bookSpent(tx: Queryable, merchantId: string, change: bigint): Promise<void> {
  if (change === 0n) return;
  await tx.query(`UPDATE programs SET spent = spent + $1::numeric WHERE merchant_id = $2`, [
    change,
    merchantId,
  ]);
}
