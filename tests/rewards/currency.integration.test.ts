import { buildOrder, hoursAgo } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

describe('An order in a currency other than won', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());

  async function get<Data>(path: string): Promise<Data> {
    const { body } = await flow.call(`/api/open/orders/${path}/`, undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    return body.data as Data;
  }
  const explain = (orderId: string) =>
    get<{ decision: { outcome: string; reason: string }; counterfactual_parts: unknown }>(
      `${orderId}/explain`,
    );

  it('earns nothing, is kept with its currency, and counts as the first paid order of its member', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const abroad = buildOrder({ member_id: 'bob', order_date: hoursAgo(3), currency: 'usd' });
    const later = buildOrder({ member_id: 'bob', order_date: hoursAgo(2) });
    await flow.syncAndSettle(merchant, abroad);
    await flow.syncAndSettle(merchant, later);
    expect((await explain(abroad.order_id)).decision).toMatchObject({
      outcome: 'no_reward',
      reason: 'unsupported_currency',
    });
    expect((await explain(abroad.order_id)).counterfactual_parts).toMatchObject({
      conditions: [{ code: 'currency' }],
    });
    expect((await explain(later.order_id)).decision.reason).toBe('not_first_order');
    expect(await get(abroad.order_id)).toMatchObject({ currency: 'USD', paid_amount: abroad.paid_amount });
    expect(await get(later.order_id)).toMatchObject({ currency: 'KRW' });
    expect(await flow.database.reward.count({ where: { merchantId: merchant.id } })).toBe(0);
  });

  it('that was in won before loses its reward, and earns one again when it is in won again', async () => {
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob' });
    const types = () => hook.received.map(({ event }) => String(event)).sort();
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, currency: 'EUR' });
    await hook.waitFor(() => hook.received.length === 4);
    expect(types()).toEqual(['reward.issue', 'reward.issue', 'reward.revoke', 'reward.revoke']);
    expect((await explain(order.order_id)).decision.reason).toBe('unsupported_currency');
    await flow.syncAndSettle(merchant, { ...order, currency: null });
    await hook.waitFor(() => hook.received.length === 6);
    expect((await explain(order.order_id)).decision.reason).toBe('rewarded');
  });
});
