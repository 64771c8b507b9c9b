import type { Program } from '@rewardhook/rewards';
import type { Sql } from './client.ts';

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
export async function lockReferrals(tx: Sql, merchantId: string, orderIds: string[]): Promise<void> {
  await tx.query(
    `SELECT 1 FROM referrals WHERE merchant_id = $1 AND id = ANY(ARRAY(${referralsOf})) ORDER BY id FOR UPDATE`,
    [merchantId, orderIds],
  );
}

// The referrals of orders; OFFSET 0 as in judgement-input.ts.
const referralsOf = `
  SELECT r.id FROM unnest($2::text[]) AS wanted (order_id)
  CROSS JOIN LATERAL (
    SELECT member_id FROM orders WHERE merchant_id = $1 AND order_id = wanted.order_id OFFSET 0) o
  CROSS JOIN LATERAL (
    SELECT id FROM referrals WHERE merchant_id = $1 AND referee_member_id = o.member_id OFFSET 0) r`;

/**
 * Reads what counts against the limits of the rule, and keeps others from changing it until this transaction ends:
 * so a cap or a budget cannot be overshot. Locks nothing where there is no limit.
 */
export async function lockProgramUse(
  tx: Sql,
  merchantId: string,
  { rule }: Program,
  orderIds: string[],
): Promise<ProgramUse> {
  const capped = rule.referrerCap.total !== null || rule.referrerCap.month !== null;
  const byReferrer = capped ? await lockReferrers(tx, merchantId, orderIds) : new Map<string, never>();
  if (rule.budget === null) return { spent: 0, byReferrer };
  const [program] = await tx.query<{ spent: string }>(
    `
    SELECT spent FROM programs WHERE merchant_id = $1 FOR UPDATE`,
    [merchantId],
  );
  return { spent: Number(program?.spent ?? 0), byReferrer };
}

async function lockReferrers(
  tx: Sql,
  merchantId: string,
  orderIds: string[],
): Promise<ProgramUse['byReferrer']> {
  const locked = await tx.query<{ member_id: string }>(
    `SELECT member_id FROM members
     WHERE merchant_id = $1 AND member_id IN (
       SELECT referrer_member_id FROM referrals WHERE merchant_id = $1 AND id = ANY(ARRAY(${referralsOf})))
     ORDER BY member_id FOR UPDATE`,
    [merchantId, orderIds],
  );
  return countByReferrer(
    tx,
    merchantId,
    locked.map(({ member_id }) => member_id),
  );
}

/** Live rewards of these referrers, in all and by month. */
export async function countByReferrer(
  tx: Sql,
  merchantId: string,
  referrers: string[],
): Promise<ProgramUse['byReferrer']> {
  const counts = await tx.query<{ member_id: string; month: string; count: string }>(
    `SELECT w.member_id, w.month, count(*) AS count
     FROM unnest($2::text[]) AS wanted (member_id)
     CROSS JOIN LATERAL (SELECT * FROM rewards WHERE merchant_id = $1 AND member_id = wanted.member_id OFFSET 0) w
     WHERE w.role = 'referrer' AND w.state IN ('pending', 'confirmed')
     GROUP BY w.member_id, w.month`,
    [merchantId, referrers],
  );
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
export async function bookSpent(tx: Sql, merchantId: string, change: number): Promise<void> {
  if (change === 0) return;
  await tx.query(`UPDATE programs SET spent = spent + $1 WHERE merchant_id = $2`, [change, merchantId]);
}
