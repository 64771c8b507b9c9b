import type { Program } from '@rewardhook/rewards';
import type { Queryable } from './client.ts';

/** What a merchant's program has given so far, as far as its limits need it. */
export interface ProgramUse {
  /** Sum of the amounts of all live rewards; 0 when the rule has no budget. */
  spent: number;
  /** Live rewards by referrer; empty when the rule has no caps. */
  byReferrer: Map<string, { total: number; months: Map<string, number> }>;
}

/**
 * Makes judgements of one referee wait for each other. The locks are taken in one order, and whoever comes
 * second reads what the first has written.
 */
export async function lockReferrals(tx: Queryable, merchantId: string, orderIds: string[]): Promise<void> {
  await tx.$executeRaw`
    SELECT 1 FROM referrals
    WHERE merchant_id = ${merchantId} AND referee_member_id IN (
      SELECT member_id FROM orders WHERE merchant_id = ${merchantId} AND order_id = ANY(${orderIds}))
    ORDER BY id FOR UPDATE`;
}

/** The merchant's program in its newest version. */
export async function readProgram(tx: Queryable, merchantId: string): Promise<Program> {
  const [program] = await tx.$queryRaw<Program[]>`
    SELECT program_id AS id, version, rule FROM program_versions
    WHERE merchant_id = ${merchantId} ORDER BY version DESC LIMIT 1`;
  if (!program) throw new Error(`merchant ${merchantId} has no program`);
  return program;
}

/**
 * Reads what counts against the limits of the rule, and keeps others from changing it until this transaction ends:
 * so a cap or a budget cannot be overshot. Locks nothing where there is no limit.
 */
export async function lockProgramUse(
  tx: Queryable,
  merchantId: string,
  { rule }: Program,
  orderIds: string[],
): Promise<ProgramUse> {
  const capped = rule.referrerCap.total !== null || rule.referrerCap.month !== null;
  const byReferrer = capped ? await lockReferrers(tx, merchantId, orderIds) : new Map<string, never>();
  if (rule.budget === null) return { spent: 0, byReferrer };
  const [program] = await tx.$queryRaw<{ spent: bigint }[]>`
    SELECT spent FROM programs WHERE merchant_id = ${merchantId} FOR UPDATE`;
  return { spent: Number(program?.spent ?? 0), byReferrer };
}

async function lockReferrers(
  tx: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<ProgramUse['byReferrer']> {
  const locked = await tx.$queryRaw<{ member_id: string }[]>`
    SELECT member_id FROM members
    WHERE merchant_id = ${merchantId} AND member_id IN (
      SELECT r.referrer_member_id FROM orders o
      JOIN referrals r ON r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id
      WHERE o.merchant_id = ${merchantId} AND o.order_id = ANY(${orderIds}))
    ORDER BY member_id FOR UPDATE`;
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
): Promise<ProgramUse['byReferrer']> {
  const counts = await tx.$queryRaw<{ member_id: string; month: string; count: bigint }[]>`
    SELECT member_id, month, count(*) AS count FROM rewards
    WHERE merchant_id = ${merchantId} AND member_id = ANY(${referrers}) AND role = 'referrer'
      AND state IN ('pending', 'confirmed')
    GROUP BY member_id, month`;
  const byReferrer: ProgramUse['byReferrer'] = new Map();
  for (const { member_id, month, count } of counts) {
    const use = byReferrer.get(member_id) ?? { total: 0, months: new Map<string, number>() };
    use.total += Number(count);
    use.months.set(month, Number(count));
    byReferrer.set(member_id, use);
  }
  return byReferrer;
}

/** Books the change of the sum of live rewards. Last in its transaction: the row is one for the whole merchant. */
export async function bookSpent(tx: Queryable, merchantId: string, change: number): Promise<void> {
  if (change === 0) return;
  await tx.$executeRaw`UPDATE programs SET spent = spent + ${change} WHERE merchant_id = ${merchantId}`;
}
