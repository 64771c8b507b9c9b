import { countPromises, listOpenPromises } from '@rewardhook/database/operations';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

const openPromises = async ({ id }: Merchant) => {
  await countPromises(flow.database);
  const open = await listOpenPromises(flow.database, 100);
  return open.filter(({ merchantId }) => merchantId === id).map(({ holder, number }) => [holder, number]);
};

/** Gives the rewards of one referral: two. */
async function reward(merchant: Merchant): Promise<void> {
  await flow.link(merchant, 'jisu', 'minsu');
  await flow.syncAndSettle(merchant, buildOrder({ order_id: 'A-1', member_id: 'minsu' }));
  await waitFor(async () => (await flow.database.event.count({ where: { merchantId: merchant.id } })) === 2, {
    what: 'both rewards',
  });
}

describe('The promise to deliver a reward', () => {
  it('is open while its webhook fails, and a failed test event is none', async () => {
    const merchant = await flow.openMerchant();
    let status = 500;
    const hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    await reward(merchant);
    const endpoint = await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } });
    await flow.admin('webhook test', { merchant: merchant.id, webhook: endpoint.id });
    expect(await openPromises(merchant)).toEqual([['sending', 2]]);

    status = 200;
    await flow.database.delivery.updateMany({
      where: { merchantId: merchant.id, state: 'pending' },
      data: { nextAttemptAt: new Date() },
    });
    await waitFor(async () => (await openPromises(merchant)).length === 0, {
      deadlineMs: 20_000,
      everyMs: 200,
      what: 'both deliveries',
    });
    expect(hook.received.length).toBeGreaterThan(2);
  });

  it('is open without a webhook, and is not for a merchant that declares that it uses the feed and reads it', async () => {
    const merchant = await flow.openMerchant();
    await reward(merchant);
    expect(await openPromises(merchant)).toEqual([['no_webhook', 2]]);

    await flow.admin('merchant update', { merchant: merchant.id, 'uses-feed': 'true' });
    expect(await openPromises(merchant)).toEqual([['no_webhook', 2]]);
    const answer = await flow.call('/api/open/events/', undefined, {
      method: 'GET',
      key: merchant.secretKey,
    });
    expect(answer.status).toBe(200);
    await waitFor(async () => (await openPromises(merchant)).length === 0, {
      what: 'the reading of the feed',
    });
  });

  it('ends when the reward is revoked', async () => {
    const merchant = await flow.openMerchant();
    await reward(merchant);
    const cancelled = new Date().toISOString();
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'A-1', member_id: 'minsu', cancelled_at: cancelled }),
    );
    await waitFor(async () => (await openPromises(merchant)).length === 0, { what: 'the revocation' });
  });
});
