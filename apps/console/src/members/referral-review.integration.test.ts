import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/index.ts';
import type { Flow } from '../../../../tests/harness/index.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { ReferralDetail, ReferralPage } from '../api-types.ts';

describe('the review of referrals in the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let shop: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
  });
  beforeEach(async () => {
    shop = await running.signUp();
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  /** A referral of two look-alikes, with a reward that waits. */
  async function linkLookAlikes(): Promise<string> {
    await flow.link(shop.merchant, 'Mallory', 'mallory ');
    await flow.syncAndSettle(shop.merchant, buildOrder({ member_id: 'mallory ' }));
    const { items } = (await shop.browser.get('/referrals?review=pending')).data as ReferralPage;
    expect(items).toMatchObject([{ flags: ['look_alike'], review: 'pending', reviewed_by: null }]);
    return items[0]?.id ?? '';
  }
  const show = async (id: string) => (await shop.browser.get(`/referrals/${id}`)).data as ReferralDetail;
  const states = ({ rewards }: ReferralDetail) => rewards.map(({ state }) => state);

  it('accepts one: its rewards are confirmed, and who did it is shown', async () => {
    const id = await linkLookAlikes();
    expect(states(await show(id))).toEqual(['pending', 'pending']);
    expect((await shop.browser.post(`/referrals/${id}/accept`)).status).toBe(200);
    await flow.queues.settled();
    const accepted = await show(id);
    expect(accepted.referral).toMatchObject({
      review: 'accepted',
      reviewed_by: shop.email,
      reviewed_at: expect.any(String),
    });
    expect(states(accepted)).toEqual(['confirmed', 'confirmed']);
    expect((await shop.browser.post(`/referrals/${id}/reject`)).status).toBe(409);
    expect(((await shop.browser.get('/referrals?review=pending')).data as ReferralPage).items).toEqual([]);
    expect((await shop.browser.get('/referrals.csv')).text).toContain(`accepted,${shop.email}`);
  });

  it('rejects one: its rewards are cancelled', async () => {
    const id = await linkLookAlikes();
    await shop.browser.post(`/referrals/${id}/reject`);
    await flow.queues.settled();
    expect(states(await show(id))).toEqual(['cancelled', 'cancelled']);
  });

  it('is for developers and owners, and for referrals of their own merchant that need it', async () => {
    const id = await linkLookAlikes();
    await flow.database.membership.updateMany({
      where: { merchantId: shop.merchant.id },
      data: { role: 'viewer' },
    });
    expect((await shop.browser.post(`/referrals/${id}/accept`)).status).toBe(403);
    expect((await show(id)).referral.review).toBe('pending');
    const other = await running.signUp();
    expect((await other.browser.post(`/referrals/${id}/accept`)).status).toBe(404);
    await flow.link(other.merchant, 'ann', 'bob');
    const { items } = (await other.browser.get('/referrals')).data as ReferralPage;
    expect(items).toMatchObject([{ review: 'none' }]);
    expect((await other.browser.post(`/referrals/${items[0]?.id}/accept`)).status).toBe(409);
  });

  it('is asked for by new merchants: their members need a user_hash', async () => {
    const linking = (await shop.browser.get('/credentials')).data as {
      linking: { require_user_hash: boolean };
    };
    expect(linking.linking.require_user_hash).toBe(true);
    const unsigned = await flow.boot(shop.merchant, { user_id: 'ann', user_hash: undefined });
    expect(unsigned.body.params).toEqual({ user_hash: 'is required' });
  });
});
