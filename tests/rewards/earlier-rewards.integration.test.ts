import { eraseMember } from '@rewardhook/database';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

type Hook = Awaited<ReturnType<Flow['receiver']>>;

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => (flow = await startFlow()));
beforeEach(async () => {
  merchant = await flow.openMerchant();
  await flow.link(merchant, 'ann', 'bob');
});
afterAll(() => flow.close());

const webhookOf = async (url: string) =>
  (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id, url: `${url}/hook` } }))
    .id;
const sendEarlier = async (hook: Hook, more: Record<string, string | true> = {}) =>
  flow.admin('webhook send-earlier-rewards', {
    merchant: merchant.id,
    webhook: await webhookOf(hook.url),
    ...more,
  });
const bodiesOf = (hook: Hook) => hook.received.map(({ rawBody }) => rawBody.toString()).toSorted();
const feed = async () =>
  (await flow.database.event.findMany({ where: { merchantId: merchant.id, sample: false } }))
    .map(({ body }) => body)
    .toSorted();

describe('Rewards that were confirmed while no webhook was registered for them', () => {
  it('are sent once, with the id and bytes of their events, to the webhook that asks first', async () => {
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    expect(await sendEarlier(hook, { 'dry-run': true })).toEqual({
      ...{ dryRun: true, count: 2, skipped: {}, complete: true },
    });
    await flow.queues.settled();
    expect(hook.received).toEqual([]);

    expect(await sendEarlier(hook)).toMatchObject({ count: 2, skipped: {}, complete: true });
    await hook.waitFor(() => hook.received.length === 2, 10_000);
    expect(bodiesOf(hook)).toEqual(await feed());

    const late = await flow.receiver(merchant, 'reward.issue');
    expect([await sendEarlier(hook), await sendEarlier(late)]).toEqual([
      expect.objectContaining({ count: 0 }),
      expect.objectContaining({ count: 0 }),
    ]);
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: new Date().toISOString() });
    await hook.waitFor(() => hook.received.length === 4, 10_000);
    expect(bodiesOf(hook)).toEqual(await feed());
    expect(late.received).toEqual([]);
  });

  it('are left out and counted when their event has no member any more, or is no longer kept', async () => {
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'bob' }));
    await flow.link(merchant, 'ann', 'carl');
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'carl' }));
    await eraseMember(flow.database, merchant.id, 'bob', { cancelDeliveries: false });
    const [kept] = await flow.database.event.findMany({
      where: { merchantId: merchant.id, erasedAt: null, body: { contains: '"role":"referee"' } },
    });
    await flow.database.event.deleteMany({ where: { merchantId: merchant.id, id: kept?.id ?? '' } });
    const hook = await flow.receiver(merchant, 'reward.issue');
    expect(await sendEarlier(hook)).toMatchObject({
      count: 1,
      skipped: { event_erased: 2, event_expired: 1 },
    });
    await hook.waitFor(() => hook.received.length === 1, 10_000);
  });

  it('are not those that were held back because a webhook still has an earlier reward', async () => {
    const only = await flow.receiver(merchant, 'reward.issue');
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: new Date().toISOString() });
    await flow.syncAndSettle(merchant, order);
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    expect(await sendEarlier(hook)).toMatchObject({ count: 0 });
    expect(only.received).toHaveLength(2);
  });

  it('are refused for a webhook that is not registered for reward.issue, and for one of another merchant', async () => {
    const hook = await flow.receiver(merchant, 'reward.revoke');
    await expect(sendEarlier(hook)).rejects.toThrow('is not registered for reward.issue');
    const webhook = await webhookOf(hook.url);
    const other = await flow.openMerchant();
    await expect(flow.admin('webhook send-earlier-rewards', { merchant: other.id, webhook })).rejects.toThrow(
      `has no webhook ${webhook}`,
    );
  });
});
