import { defaultRule } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import { transact } from '../client/client.ts';
import { explainOrder } from './explain-order.ts';
import { waitForLocks } from '../fixtures/wait-for-locks.ts';
import { insertReferral } from '../members/referrals.ts';
import { upsertOrders } from '../orders/orders.ts';
import { publishProgram } from '../rewards/programs.ts';
import { database, useDatabase } from '../fixtures/use-database.ts';

const merchantId = 'mer_1';
useDatabase(6);

it('An order that is evaluated while it is explained is explained as it was before', async () => {
  await database.merchant.create({ data: { id: merchantId, name: 'Tea shop', identitySecret: '' } });
  await database.program.create({ data: { merchantId, id: 'prg_1' } });
  const rule: object = defaultRule;
  await database.programVersion.create({ data: { merchantId, version: 1, programId: 'prg_1', rule } });
  const { referral } = await insertReferral(database, {
    merchantId,
    referrerMemberId: 'ann',
    refereeMemberId: 'bob',
    source: 'link',
    flags: [],
  });
  const order = buildOrder({ member_id: 'bob' });
  await upsertOrders(database, [{ merchantId, version: 1, orders: JSON.stringify([order]) }]);
  const explain = () => explainOrder(database, merchantId, order.order_id);
  const explaining = await transact(database, async (tx) => {
    await tx.query('LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
    const explained = explain();
    explained.catch(() => undefined);
    // The explanation has read the versions of the program, and waits for the table of orders.
    await waitForLocks(database);
    const { version } = await publishProgram(database, merchantId, { ...defaultRule, referrer: null });
    await tx.query(
      `INSERT INTO rewards (merchant_id, id, program_id, program_version, referral_id, subject, role, member_id, order_id,
         type, amount, unit, state, month)
       VALUES ($1, 'rwd_1', 'prg_1', $2, $3, 'referral:' || $3, 'referee', 'bob', $4, 'points', 1, 'point', 'confirmed',
         '2026-11')`,
      [merchantId, version, referral.id, order.order_id],
    );
    return { explained };
  });
  const whats = (timeline?: { what: string }[]) => timeline?.map(({ what }) => what) ?? [];
  const before = await explaining.explained;
  expect(before).toMatchObject({ program: { version: 1 }, decision: { outcome: 'rewarded' } });
  expect(whats(before?.timeline)).not.toContain('reward_given');
  const after = await explain();
  expect(after).toMatchObject({ program: { version: 2 }, decision: { outcome: 'kept' } });
  expect(whats(after?.timeline)).toContain('reward_given');
});

it('What is no longer kept of an order is an entry of its timeline', async () => {
  const shop = 'mer_old';
  await database.merchant.create({ data: { id: shop, name: 'Tea shop', identitySecret: '' } });
  await database.program.create({ data: { merchantId: shop, id: 'prg_old' } });
  const rule: object = defaultRule;
  await database.programVersion.create({
    data: { merchantId: shop, version: 1, programId: 'prg_old', rule },
  });
  const { referral } = await insertReferral(database, {
    merchantId: shop,
    referrerMemberId: 'ann',
    refereeMemberId: 'bob',
    source: 'link',
    flags: [],
  });
  const order = buildOrder({ member_id: 'bob' });
  await upsertOrders(database, [{ merchantId: shop, version: 1, orders: JSON.stringify([order]) }]);
  const [orderId, at] = [order.order_id, new Date(Date.now() - 200 * 86_400_000)];
  const own = { merchantId: shop, referralId: referral.id, memberId: 'bob', programVersion: 1, orderId };
  await database.decision.create({
    data: {
      ...{ ...own, number: 3, orderVersion: 1, createdAt: at },
      ...{ outcome: 'rewarded', reason: 'rewarded', checks: [] },
    },
  });
  const reward = {
    programId: 'prg_old',
    subject: `referral:${referral.id}`,
    type: 'points',
    amount: 1,
    unit: 'point',
  };
  const issued = {
    state: 'confirmed',
    month: '2026-05',
    createdAt: at,
    confirmedAt: at,
    issuedTo: ['whk_1'],
  };
  for (const role of ['referee', 'referrer'])
    await database.reward.create({ data: { ...own, ...reward, ...issued, id: `rwd_${role}`, role } });
  await database.event.create({
    data: {
      merchantId: shop,
      id: 'evt_old',
      type: 'reward.issue',
      rewardId: 'rwd_referrer',
      body: '{}',
      createdAt: at,
    },
  });
  await database.endpoint.create({
    data: { id: 'whk_old', merchantId: shop, url: 'https://x.test', eventTypes: [] },
  });
  await database.delivery.create({
    data: {
      ...{ id: crypto.randomUUID(), merchantId: shop, eventId: 'evt_old', endpointId: 'whk_old' },
      ...{ state: 'delivered', attemptsMade: 2, createdAt: at, eventCreatedAt: at, nextAttemptAt: null },
    },
  });
  const explained = await explainOrder(database, shop, orderId);
  expect(explained?.timeline.filter(({ what }) => what.endsWith('_deleted'))).toMatchObject([
    { what: 'decisions_deleted', count: 2 },
    { what: 'event_deleted', type: 'reward.issue', reward_id: 'rwd_referee', notified: true },
    { what: 'attempts_deleted', count: 2 },
  ]);
});
