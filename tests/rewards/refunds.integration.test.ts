import { defaultRule } from '@rewardhook/rewards';
import type { ProgramRule } from '@rewardhook/rewards';
import { publishProgram } from '@rewardhook/database';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

type Order = ReturnType<typeof buildOrder>;
type Received = { type: string; data: { reward: { id: string; amount: number }; reason?: string } };

const tenPercent = {
  type: 'points' as const,
  unit: 'points',
  amount: { kind: 'percent' as const, rate: 10, cap: null },
};

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => (flow = await startFlow()));
beforeEach(async () => {
  merchant = await flow.openMerchant();
  await flow.link(merchant, 'ann', 'bob');
});
afterAll(() => flow.close());

const publish = (rule: Partial<ProgramRule>) =>
  publishProgram(flow.database, merchant.id, {
    ...defaultRule,
    referee: tenPercent,
    referrer: null,
    ...rule,
  });
const paid = (paid_amount: number, changes: Partial<Order> = {}) =>
  buildOrder({ order_id: 'order', member_id: 'bob', paid_amount, shipping_amount: 0, items: [], ...changes });
const send = (...orders: Order[]) => flow.syncAndSettle(merchant, ...orders);
const eventsOf = (hook: Awaited<ReturnType<Flow['receiver']>>) =>
  hook.received
    .map(({ rawBody }) => JSON.parse(rawBody.toString()) as Received)
    .map(({ type, data: { reward, reason } }) => [type, reward.amount, ...(reason ? [reason] : [])]);
const live = async () =>
  (await flow.database.reward.findMany({ where: { merchantId: merchant.id } }))
    .filter(({ state }) => state === 'pending' || state === 'confirmed')
    .map(({ state, role, amount, month }) => ({ state, role, amount: Number(amount), month }));
const spent = async () =>
  Number((await flow.database.program.findUniqueOrThrow({ where: { merchantId: merchant.id } })).spent);
const explain = async () =>
  (await flow.call('/api/open/orders/order/explain/', undefined, { method: 'GET', key: merchant.secretKey }))
    .body.data as {
    decision: {
      outcome: string;
      reason: string;
      checks: { check: string; value: unknown; threshold: unknown }[];
    };
  };

describe('The amount of a pending reward', () => {
  it('follows its order both ways, with the month of its payment, and is issued as it is when its hold ends', async () => {
    // The order is from before the link.
    await publish({ holdDays: 30, earlierOrders: 'count' });
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    const paidAt = new Date(Date.now() - 20 * 86_400_000).toISOString();
    await send(paid(1_000_000, { paid_at: new Date().toISOString() }));
    await send(paid(1_000, { paid_at: paidAt }));
    expect(await live()).toEqual([expect.objectContaining({ state: 'pending', amount: 100 })]);
    expect(await spent()).toBe(100);
    const longAgo = new Date(Date.now() - 40 * 86_400_000).toISOString();
    await send(paid(2_000, { order_date: longAgo, paid_at: longAgo }));
    await hook.waitFor(() => hook.received.length === 1, 10_000);
    expect(eventsOf(hook)).toEqual([['reward.issue', 200]]);
    expect(await spent()).toBe(200);
  });

  it('is cancelled at 0, and given again when it rises', async () => {
    await publish({ holdDays: 30, minimumPaidAmount: 0 });
    const now = { paid_at: new Date().toISOString() };
    await send(paid(10_000, now));
    await send(paid(9, now));
    expect(await live()).toEqual([]);
    expect((await explain()).decision.reason).toBe('nothing_to_give');
    await send(paid(500, now));
    expect(await live()).toEqual([expect.objectContaining({ amount: 50 })]);
  });

  it('does not rise beyond the budget', async () => {
    await publish({ holdDays: 30, budget: 150 });
    const now = { paid_at: new Date().toISOString() };
    await send(paid(1_000, now));
    await send(paid(2_000, now));
    expect(await live()).toEqual([expect.objectContaining({ amount: 100 })]);
    expect((await explain()).decision.checks).toContainEqual({
      check: 'budget',
      value: 200,
      threshold: 150,
      passed: false,
    });
  });
});

describe('The amount of a confirmed reward', () => {
  it('is adjusted by a revocation and a new reward, which keep the place of the first', async () => {
    await publish({});
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await send(paid(10_000));
    await hook.waitFor(() => hook.received.length === 1, 10_000);
    await send(paid(4_000));
    await hook.waitFor(() => hook.received.length === 3, 10_000);
    expect(eventsOf(hook).sort((one, other) => String(one[0]).localeCompare(String(other[0])))).toEqual([
      ['reward.issue', 1_000],
      ['reward.issue', 400],
      ['reward.revoke', 1_000, 'amount_changed'],
    ]);
    expect((await explain()).decision).toMatchObject({ outcome: 'adjusted', reason: 'rewarded' });
    await send(paid(6_000));
    await hook.waitFor(() => hook.received.length === 5, 10_000);
    expect(await live()).toEqual([expect.objectContaining({ state: 'confirmed', amount: 600 })]);
    expect(await spent()).toBe(600);
    await send(paid(6_000, { cancelled_at: '2026-11-21T10:00:00Z' }));
    await hook.waitFor(() => hook.received.length === 6, 10_000);
    expect([await live(), await spent()]).toEqual([[], 0]);
  });

  it('stands under keep, until it comes to nothing', async () => {
    await publish({ refunds: 'keep', minimumPaidAmount: 0 });
    await send(paid(10_000));
    await send(paid(4_000));
    expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
    await send(paid(9));
    expect(await live()).toEqual([]);
  });

  it('of a coupon stands', async () => {
    await publish({ referee: { ...tenPercent, type: 'coupon', unit: 'won' } });
    await send(paid(10_000));
    await send(paid(4_000));
    expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
  });

  it('stands when a webhook would not hear of the revocation, and says which', async () => {
    await publish({});
    await flow.receiver(merchant, 'reward.issue,reward.revoke');
    const deaf = await flow.receiver(merchant, 'reward.issue');
    await send(paid(10_000));
    await deaf.waitFor(() => deaf.received.length === 1, 10_000);
    await send(paid(4_000));
    expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
    const { decision } = await explain();
    expect(decision.outcome).toBe('kept');
    expect(decision.checks).toContainEqual({
      check: 'amount_kept',
      value: 400,
      threshold: 1_000,
      passed: false,
    });
    const endpoints = await flow.database.endpoint.findMany({ where: { merchantId: merchant.id } });
    const holder = endpoints.find(({ eventTypes }) => eventTypes.length === 1);
    expect(decision.checks).toContainEqual(
      expect.objectContaining({ check: 'revocation_notified', value: holder?.id }),
    );
  });
});

describe('A reward that is earned again', () => {
  it('is not sent to anybody while one webhook heard of the first and not of its revocation', async () => {
    const both = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    const deaf = await flow.receiver(merchant, 'reward.issue');
    await send(paid(10_000));
    await both.waitFor(() => both.received.length === 2, 10_000);
    await deaf.waitFor(() => deaf.received.length === 2, 10_000);
    await send(paid(10_000, { cancelled_at: '2026-11-21T10:00:00Z' }));
    await both.waitFor(() => both.received.length === 4, 10_000);
    await send(paid(10_000));
    await flow.queues.settled();
    expect([both.received.length, deaf.received.length]).toEqual([4, 2]);
    const rewards = await flow.database.reward.findMany({
      where: { merchantId: merchant.id, state: 'confirmed' },
    });
    expect(rewards.map(({ notNotified }) => notNotified)).toEqual([true, true]);
    expect((await explain()).decision.checks).toContainEqual(
      expect.objectContaining({ check: 'revocation_notified', passed: false }),
    );
  });

  it('is revoked only where it was issued', async () => {
    const first = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await send(paid(10_000));
    await first.waitFor(() => first.received.length === 2, 10_000);
    const later = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await send(paid(10_000, { cancelled_at: '2026-11-21T10:00:00Z' }));
    await first.waitFor(() => first.received.length === 4, 10_000);
    await flow.queues.settled();
    expect(later.received).toHaveLength(0);
  });

  it('grants the referrer once, when the order moves to another referee and no webhook hears of revocations', async () => {
    await flow.link(merchant, 'ann', 'carl');
    const deaf = await flow.receiver(merchant, 'reward.issue');
    await send(paid(10_000));
    await deaf.waitFor(() => deaf.received.length === 2, 10_000);
    await send(paid(10_000, { member_id: 'carl' }));
    await flow.queues.settled();
    expect(deaf.received).toHaveLength(2);
  });
});
