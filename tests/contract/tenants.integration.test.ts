import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { readStoredOrder } from '../harness/read-stored-order.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

describe('Merchants are isolated from each other', () => {
  let flow: Flow;
  let shopA: Merchant;
  let shopB: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    [shopA, shopB] = [await flow.openMerchant(), await flow.openMerchant()];
  });
  afterAll(() => flow.close());

  it('orders with the same order_id are separate', async () => {
    const a = buildOrder({ order_id: 'same', paid_amount: 1 });
    const b = buildOrder({ order_id: 'same', paid_amount: 2 });
    await flow.syncAndSettle(shopA, a);
    await flow.syncAndSettle(shopB, b);
    expect(await readStoredOrder(flow.database, shopA.id, 'same')).toMatchObject({ paid_amount: 1 });
    expect(await readStoredOrder(flow.database, shopB.id, 'same')).toMatchObject({ paid_amount: 2 });
    await flow.syncAndSettle(shopB, { ...b, paid_amount: 3 });
    expect(await readStoredOrder(flow.database, shopA.id, 'same')).toMatchObject({
      paid_amount: 1,
      member_id: a.member_id,
    });
  });

  it('only the merchant’s own links earn rewards, and only their own webhooks are called', async () => {
    const hookA = await flow.receiver(shopA, 'reward.issue,reward.revoke');
    const hookB = await flow.receiver(shopB, 'reward.issue,reward.revoke');
    await flow.link(shopA, 'ann', 'bob');
    const order = buildOrder({ order_id: 'same', member_id: 'bob' });
    const evaluationJobs = await flow.queues.ever('reward-evaluation');
    await flow.syncAndSettle(shopB, order);
    expect(await flow.queues.ever('reward-evaluation')).toBe(evaluationJobs);
    expect([hookA.received.length, hookB.received.length]).toEqual([0, 0]);
    await flow.syncAndSettle(shopA, order);
    expect([hookA.received.length, hookB.received.length]).toEqual([2, 0]);
    expect(hookA.received.every(({ verified }) => verified)).toBe(true);
    await flow.syncAndSettle(shopB, { ...order, cancelled_at: order.order_date });
    expect(await flow.database.reward.count({ where: { state: 'revoked' } })).toBe(0);
    expect([hookA.received.length, hookB.received.length]).toEqual([2, 0]);
  });

  it('referral codes, members and links of another merchant are unknown', async () => {
    const code = (await flow.boot(shopA, { user_id: 'ann' })).body.data['referral_code'];
    const booted = await flow.boot(shopB, { user_id: 'bob', referral_code: code });
    expect(booted.body.data).toMatchObject({ referrer_linked: false, link: 'unknown_code' });
    expect((await flow.link(shopA, 'ann', 'bob')).status).toBe(201);
    expect((await flow.link(shopB, 'eve', 'bob')).status).toBe(201);
    await flow.syncAndSettle(shopA, buildOrder({ member_id: 'carl' }));
    const carl = await flow.boot(shopB, { user_id: 'carl', referral_code: 'NOSUCH99' });
    expect(carl.body.data['link']).toBe('unknown_code');
  });

  it('data belongs to the merchant of the key, even if the body names another merchant', async () => {
    const order = { ...buildOrder({ order_id: 'foreign' }), merchant_id: shopA.id, merchantId: shopA.id };
    await flow.syncAndSettle(shopB, order);
    expect(await readStoredOrder(flow.database, shopA.id, 'foreign')).toBeUndefined();
    expect(await readStoredOrder(flow.database, shopB.id, 'foreign')).toBeDefined();
  });

  it('admin commands change nothing with the id of another merchant', async () => {
    await flow.receiver(shopA, 'reward.issue');
    const { webhooks } = (await flow.admin('webhook list', { merchant: shopA.id })) as {
      webhooks: [{ id: string }];
    };
    const { keys } = (await flow.admin('key list', { merchant: shopA.id })) as { keys: [{ id: string }] };
    await flow.link(shopA, 'ann', 'bob');
    await flow.syncAndSettle(shopA, buildOrder({ order_id: 'of-a', member_id: 'bob' }));
    const { deliveries } = (await flow.admin('delivery list', { merchant: shopA.id })) as {
      deliveries: [{ id: string }, { id: string }];
    };
    const attempts: [string, Record<string, string>][] = [
      ['webhook delete', { webhook: webhooks[0].id }],
      ['key revoke', { key: keys[0].id }],
      ['delivery show', { delivery: deliveries[0].id }],
      ['delivery retry', { delivery: deliveries[0].id }],
      ['order show', { order: 'of-a' }],
    ];
    expect(deliveries).toHaveLength(2);
    for (const [name, options] of attempts)
      await expect(flow.admin(name, { merchant: shopB.id, ...options })).rejects.toThrow('has no');
    const { status } = await flow.call(syncPath, { orders: [buildOrder()] }, { key: shopA.secretKey });
    expect(status).toBe(202);
  });
});
