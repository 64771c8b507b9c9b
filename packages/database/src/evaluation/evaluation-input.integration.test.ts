import { randomUUID } from 'node:crypto';
import { transact } from '../client/client.ts';
import { defaultRule } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { keepPlansSettings } from '../client/session.ts';
import { insertEvents } from '../events/insert-events.ts';
import { confirmRewards, withdrawRewards } from '../rewards/rewards.ts';
import { claimBatches, enqueueOrders } from './due-batches.ts';
import { countRewardsOfReferrers, lockProgramUsage } from './program-usage.ts';
import { listEarlierRewards } from './earlier-rewards.ts';
import { listEarliestPaid, listOrderStates, lockOrderStates } from './order-states.ts';
import { lockReferralStates } from './referral-states.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

useDatabase(2);

/** Stores 3,000 orders of 600 linked members. */
async function fill(merchant: string): Promise<void> {
  for (const sql of [
    `INSERT INTO orders (merchant_id, order_id, version, member_id, order_amount, paid_amount, shipping_amount,
       order_date, first_order, paid_at, items)
     SELECT '${merchant}', 'o' || n, 1, 'm' || n / 5, 1, 1, 0, '9999-12-31T23:59:59.5-09:00', false,
       '2026-01-31T16:00:00.000001Z', '[]' FROM generate_series(1, 3000) n`,
    `INSERT INTO decisions (merchant_id, order_id, number, order_version, member_id, referral_id, program_version,
       outcome, reason, checks)
     SELECT '${merchant}', 'o' || n, 1, 1, 'm', 'r', 1, 'no_reward', 'not_paid', '[]' FROM generate_series(1, 3000) n`,
    `INSERT INTO referrals (merchant_id, id, referee_member_id, referrer_member_id, code, source)
     SELECT '${merchant}', 'r' || n, 'm' || n, 'boss', 'c', 'link' FROM generate_series(0, 600) n`,
    `INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
       type, amount, unit, state, month)
     SELECT '${merchant}', 'w' || n, 'p', 1, 'r' || n / 5, 'order:' || n, 'referee', 'm', 'o' || n, 'points', 1, 'won',
       'confirmed', '2026-01' FROM generate_series(1, 3000) n`,
  ])
    await database.query(sql);
}

const rule = { ...defaultRule, referrerCap: { total: 5, month: 5 }, budget: 1_000_000 };
const program = { id: 'p', version: 1, rule };
const referral = {
  id: 'r1',
  code: 'c',
  referrerMemberId: 'boss',
  refereeMemberId: 'm1',
  review: 'none' as const,
  linkedAt: '2026-01-01T00:00:00.000000Z',
};

/** Plans of the statements that evaluate orders `o1` and following of a merchant. */
async function plansOf(explain: (text: string, values: unknown[]) => Promise<string>): Promise<string[]> {
  const plans: string[] = [];
  const explaining: Queryable = {
    async query(text, values = []) {
      plans.push(await explain(text, values));
      return [];
    },
    execute: (text, values) => database.execute(text, values),
  };
  const ids = Array.from({ length: 100 }, (_, index) => `o${index + 1}`);
  const at = '2026-01-31T16:00:00.000001Z';
  await claimBatches(explaining, 'new', [randomUUID()]);
  await listOrderStates(explaining, 'new', ids);
  await lockOrderStates(explaining, 'new', ids);
  await listEarliestPaid(explaining, 'new', ids);
  await lockReferralStates(explaining, 'new', ids);
  await listEarlierRewards(explaining, 'new', ids, [], []);
  await lockProgramUsage(explaining, 'new', program, [referral]);
  await countRewardsOfReferrers(explaining, 'new', rule, [{ memberId: 'boss', month: '2026-01' }]);
  await enqueueOrders(explaining, 'new', { orderIds: ids, firstOrdersOf: ids, allOrdersOf: ids });
  await confirmRewards(explaining, 'new', [{ id: 'w1', at }]);
  await withdrawRewards(explaining, 'new', [{ id: 'w1', at }]);
  const event = { id: 'e', type: 'reward.issue', rewardId: 'w1', body: '{}', deliver: true, at };
  await insertEvents(explaining, 'new', [event]);
  return plans;
}

/** The conditions of index scans on a merchant alone, which read all of their rows. */
function conditionsOnMerchantAlone(plans: string[]): string[] {
  return plans
    .flatMap(
      (plan) => plan.match(/(?:Index(?: Only)? Scan|Bitmap Index Scan)[^\n]*\n\s*Index Cond: .*/g) ?? [],
    )
    .filter((scan) => !/\bAND\b|merchants_pkey|programs_pkey|endpoints_/.test(scan));
}

describe('The input of an evaluation', () => {
  it('is read by key with plans that are kept, also when they were made for empty tables', async () => {
    const plans = await transact(database, async (tx) => {
      for (const [name, value] of keepPlansSettings) await tx.execute(`SET LOCAL ${name} = ${value}`);
      return plansOf(async (text) => {
        const rows = await tx.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
    });
    expect(plans.join().match(/Index Cond/g)?.length).toBeGreaterThanOrEqual(10);
    expect(conditionsOnMerchantAlone(plans)).toEqual([]);
    expect(plans.join().match(/Seq Scan on \w+/g)).toBeNull();
  });

  it('is read by key, even for a merchant created after the last ANALYZE', async () => {
    await database.$executeRaw`
      INSERT INTO merchants (id, name, identity_secret) VALUES ('known', '', ''), ('new', '', '')`;
    await fill('known');
    await database.$executeRaw`ANALYZE`;
    await fill('new');
    const plans = await plansOf(async (text, values) => {
      const rows = await database.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
    expect(plans.join().match(/Index Cond/g)?.length).toBeGreaterThanOrEqual(10);
    expect(conditionsOnMerchantAlone(plans)).toEqual([]);
    expect(plans.join().match(/Seq Scan on (orders|decisions|referrals|rewards)/g)).toBeNull();
  });

  it('has timestamps in UTC with microseconds in any year, and months in the time zone of the merchant', async () => {
    const [stored] = await listOrderStates(database, 'new', ['o1']);
    expect(stored?.order).toMatchObject({
      orderDate: '10000-01-01T08:59:59.500000Z',
      paidAt: '2026-01-31T16:00:00.000001Z',
      cancelledAt: null,
      month: '2026-02',
    });
  });
});
