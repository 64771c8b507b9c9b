import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const minuteMs = 60_000;
const inFuture = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('An order with a paid_at in the future', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });
  afterAll(() => flow.close());

  async function explain(orderId: string) {
    const path = `/api/open/orders/${orderId}/explain/`;
    const { body } = await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey });
    return body.data as { decision: { reason: string; checks: unknown[] }; counterfactual: string | null };
  }

  it('counts as paid when the time is at most 5 minutes ahead', async () => {
    const order = buildOrder({ member_id: 'bob', paid_at: inFuture(4 * minuteMs) });
    await flow.syncAndSettle(merchant, order);
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('earns nothing before, and a reward without being sent again when the time is 5 minutes ahead', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue');
    const paid_at = inFuture(5 * minuteMs + 2_000);
    const order = buildOrder({ member_id: 'bob', paid_at });
    await flow.syncAndSettle(merchant, order);
    const { decision, counterfactual } = await explain(order.order_id);
    expect(decision.reason).toBe('not_paid_yet');
    const counts = new Date(Date.parse(paid_at) - 5 * minuteMs).toISOString().replace('Z', '000Z');
    expect(decision.checks).toContainEqual({
      check: 'payment_time',
      value: paid_at.replace('Z', '000Z'),
      threshold: counts,
      passed: false,
    });
    expect(counterfactual).toContain('if its paid_at had been reached');
    await hook.waitFor(() => hook.received.length === 2, 10_000);
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });

  it('counts as unpaid for the other orders of its member, and takes the reward when it begins to count', async () => {
    const early = buildOrder({
      member_id: 'bob',
      order_date: hoursAgo(3),
      paid_at: inFuture(60 * minuteMs),
    });
    const late = buildOrder({ member_id: 'bob', order_date: hoursAgo(2) });
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.syncAndSettle(merchant, early, late);
    expect((await explain(late.order_id)).decision.reason).toBe('rewarded');
    await hook.waitFor(() => hook.received.length === 2, 10_000);
    await flow.database.order.updateMany({
      where: { merchantId: merchant.id, orderId: early.order_id },
      data: { countsAsPaidAt: new Date() },
    });
    await hook.waitFor(() => hook.received.length === 6, 10_000);
    await flow.queues.settled();
    expect((await explain(early.order_id)).decision.reason).toBe('rewarded');
    expect((await explain(late.order_id)).decision.reason).toBe('not_first_order');
  });

  it('that was rewarded before loses its reward', async () => {
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, paid_at: inFuture(60 * minuteMs) });
    expect((await explain(order.order_id)).decision).toMatchObject({
      outcome: 'no_reward',
      reason: 'not_paid_yet',
    });
    const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    expect(rewards.map(({ state }) => state)).toEqual(['revoked', 'revoked']);
  });
});
