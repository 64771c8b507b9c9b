import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import type { ProgramRule } from '@rewardhook/rewards';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

describe('Evaluation', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  const publish = (rule: Partial<ProgramRule>) =>
    publishProgram(flow.database, merchant.id, { ...defaultRule, ...rule });
  const rewards = (role?: string) =>
    flow.database.reward.findMany({ where: { merchantId: merchant.id, ...(role ? { role } : {}) } });
  const states = async () => (await rewards()).map(({ role, state }) => `${role} ${state}`).sort();
  const events = async () =>
    (await flow.database.event.findMany({ where: { merchantId: merchant.id } }))
      .map(({ type }) => type)
      .sort();

  /** Sends one order of each of `count` members of the same referrer, at the same time. */
  async function orderOfEach(count: number): Promise<void> {
    const members = Array.from({ length: count }, (_, index) => `friend-${index}`);
    await Promise.all(members.map((member) => flow.link(merchant, 'ann', member)));
    await Promise.all(members.map((member_id) => flow.sync(merchant, buildOrder({ member_id }))));
    await flow.queues.settled();
  }

  it('gives a referrer 10 rewards for 40 concurrent orders when the cap is 10, and every referee theirs', async () => {
    await publish({ referrerCap: { total: 10, month: null } });
    await orderOfEach(40);
    expect(await rewards('referrer')).toHaveLength(10);
    expect(await rewards('referee')).toHaveLength(40);
  });

  it('applies a monthly cap by the month of payment in the time zone of the merchant', async () => {
    await publish({ trigger: 'every_order', referee: null, referrerCap: { total: null, month: 1 } });
    await flow.link(merchant, 'ann', 'bob');
    const paidAt = (paid_at: string) => buildOrder({ member_id: 'bob', paid_at });
    await flow.syncAndSettle(merchant, paidAt('2026-03-31T14:59:00Z'), paidAt('2026-03-31T15:01:00Z'));
    expect((await rewards()).map(({ month }) => month).sort()).toEqual(['2026-03', '2026-04']);
    await flow.syncAndSettle(merchant, paidAt('2026-04-02T00:00:00Z'));
    expect(await rewards()).toHaveLength(2);
  });

  it('never exceeds the budget, and reuses the amount of cancelled rewards', async () => {
    await publish({ budget: 30_000, referrer: null });
    await orderOfEach(40);
    expect(await rewards()).toHaveLength(10);
    const [given] = await rewards();
    const cancelled = buildOrder({
      member_id: given?.memberId as string,
      order_id: given?.orderId as string,
      cancelled_at: '2026-11-20T00:00:00Z',
    });
    await flow.syncAndSettle(merchant, cancelled);
    await flow.link(merchant, 'ann', 'late-friend');
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'late-friend' }));
    const live = (await rewards()).filter(({ state }) => state === 'confirmed');
    expect(live).toHaveLength(10);
    expect(live.map(({ memberId }) => memberId)).toContain('late-friend');
  });

  it('holds a reward without a notification, and confirms it when the hold ends', async () => {
    await publish({ holdDays: 2 / 86_400 });
    const hook = await flow.receiver(merchant, 'reward.issue');
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'bob', paid_at: new Date().toISOString() }));
    expect(await states()).toEqual(['referee pending', 'referrer pending']);
    expect(await events()).toEqual([]);
    const [pending] = await rewards();
    await hook.waitFor(({ event }) => event === 'reward.issue', 10_000);
    const [confirmed] = await rewards();
    const lateMs = Number(confirmed?.confirmedAt) - Number(pending?.confirmDueAt);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    await waitFor(() => hook.received.length === 2, { deadlineMs: 10_000 });
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
  });

  it('counts the hold from the payment: a reward of an older payment is confirmed at once', async () => {
    await publish({ holdDays: 7, earlierOrders: 'count' });
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(
      merchant,
      buildOrder({ member_id: 'bob', order_date: daysAgo(8), paid_at: daysAgo(8) }),
    );
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    expect(await events()).toEqual(['reward.issue', 'reward.issue']);
  });

  it('counts the hold from the order when the payment is dated before it', async () => {
    await publish({ holdDays: 7 });
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_date: daysAgo(1), paid_at: '1980-01-01T00:00:00Z' });
    await flow.syncAndSettle(merchant, order);
    expect(await states()).toEqual(['referee pending', 'referrer pending']);
    const ends = (await rewards()).map(({ confirmDueAt }) => Number(confirmDueAt));
    expect(ends).toEqual([order, order].map(({ order_date }) => Date.parse(order_date) + 7 * dayMs));
  });

  it('moves the end of a hold with the payment until the reward is confirmed, and nothing after that', async () => {
    await publish({ holdDays: 7, earlierOrders: 'count' });
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_date: daysAgo(20), paid_at: daysAgo(1) });
    const ends = async () =>
      (await rewards()).map(({ confirmDueAt }) => Number(confirmDueAt) - 7 * dayMs).sort((a, b) => a - b);
    await flow.syncAndSettle(merchant, order);
    expect(await ends()).toEqual([order.paid_at, order.paid_at].map((at) => Date.parse(String(at))));
    const corrected = { ...order, paid_at: daysAgo(3) };
    await flow.syncAndSettle(merchant, corrected);
    expect(await states()).toEqual(['referee pending', 'referrer pending']);
    expect(await ends()).toEqual([corrected.paid_at, corrected.paid_at].map((at) => Date.parse(at)));
    await flow.syncAndSettle(merchant, { ...order, paid_at: daysAgo(9) });
    const confirmed = await rewards();
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    await flow.syncAndSettle(merchant, { ...order, paid_at: daysAgo(0) });
    expect(await rewards()).toEqual(confirmed);
  });

  it('cancels a held reward without a notification when the order is cancelled, and gives a new one when the cancellation is undone', async () => {
    await publish({ holdDays: 7 });
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: '2026-11-20T00:00:00Z' });
    expect(await states()).toEqual(['referee cancelled', 'referrer cancelled']);
    await flow.syncAndSettle(merchant, order);
    expect(await states()).toEqual([
      'referee cancelled',
      'referee pending',
      'referrer cancelled',
      'referrer pending',
    ]);
    expect(await events()).toEqual([]);
  });

  it('revokes a reward when cancelled products bring the amount paid below the minimum', async () => {
    await publish({ minimumPaidAmount: 15_000 });
    await flow.link(merchant, 'ann', 'bob');
    const item = (product_id: string, cancelled_at: string | null) => ({
      product_id,
      product_name: product_id,
      quantity: 1,
      price: 10_000,
      paid_amount: 10_000,
      cancelled_at,
    });
    const order = (...items: unknown[]) => ({
      ...buildOrder({ member_id: 'bob', order_id: 'o', paid_amount: 20_000, shipping_amount: 0 }),
      items,
    });
    await flow.syncAndSettle(merchant, order(item('a', null), item('b', null)));
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    await flow.syncAndSettle(merchant, order(item('a', '2026-11-20T00:00:00Z'), item('b', null)));
    expect(await states()).toEqual(['referee revoked', 'referrer revoked']);
    expect(await events()).toEqual(['reward.issue', 'reward.issue', 'reward.revoke', 'reward.revoke']);
  });

  it('keeps existing rewards when a stricter version is published', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', paid_amount: 20_000 });
    await flow.syncAndSettle(merchant, order);
    await publish({ minimumPaidAmount: 1_000_000 });
    await flow.syncAndSettle(merchant, order);
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
  });
});
