import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { ReferralDetail, ReferralPage } from '../api-types.ts';

describe('The review of referrals in the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
  });
  beforeEach(async () => {
    owner = await running.signUp();
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  /** A referral between look-alike ids, with a pending reward. */
  async function linkLookAlikes(): Promise<string> {
    await flow.link(owner.merchant, 'Mallory', 'mallory ');
    await flow.syncAndSettle(owner.merchant, buildOrder({ member_id: 'mallory ' }));
    const { items } = (await owner.browser.get('/referrals?review=pending')).data as ReferralPage;
    expect(items).toMatchObject([{ flags: ['look_alike'], review: 'pending', reviewed_by: null }]);
    return items[0]?.id ?? '';
  }
  const show = async (id: string) => (await owner.browser.get(`/referrals/${id}`)).data as ReferralDetail;
  const states = ({ rewards }: ReferralDetail) => rewards.map(({ state }) => state);

  it('Accepting a referral confirms its rewards and shows who accepted it', async () => {
    const id = await linkLookAlikes();
    expect(states(await show(id))).toEqual(['pending', 'pending']);
    expect((await owner.browser.post(`/referrals/${id}/accept`)).status).toBe(200);
    await flow.queues.settled();
    const accepted = await show(id);
    expect(accepted.referral).toMatchObject({
      review: 'accepted',
      reviewed_by: owner.email,
      reviewed_at: expect.any(String),
    });
    expect(states(accepted)).toEqual(['confirmed', 'confirmed']);
    expect((await owner.browser.post(`/referrals/${id}/reject`)).status).toBe(409);
    expect(((await owner.browser.get('/referrals?review=pending')).data as ReferralPage).items).toEqual([]);
    expect((await owner.browser.get('/referrals.csv')).text).toContain(`accepted,${owner.email}`);
  });

  it('Rejecting a referral cancels its rewards', async () => {
    const id = await linkLookAlikes();
    await owner.browser.post(`/referrals/${id}/reject`);
    await flow.queues.settled();
    expect(states(await show(id))).toEqual(['cancelled', 'cancelled']);
  });

  it('Only developers and owners can review, and only referrals of their merchant that need review', async () => {
    const id = await linkLookAlikes();
    await flow.database.membership.updateMany({
      where: { merchantId: owner.merchant.id },
      data: { role: 'viewer' },
    });
    expect((await owner.browser.post(`/referrals/${id}/accept`)).status).toBe(403);
    expect((await show(id)).referral.review).toBe('pending');
    const other = await running.signUp();
    expect((await other.browser.post(`/referrals/${id}/accept`)).status).toBe(404);
    await flow.link(other.merchant, 'ann', 'bob');
    const { items } = (await other.browser.get('/referrals')).data as ReferralPage;
    expect(items).toMatchObject([{ review: 'none' }]);
    expect((await other.browser.post(`/referrals/${items[0]?.id}/accept`)).status).toBe(409);
  });

  it('The members of a new merchant need a user_hash', async () => {
    const linking = (await owner.browser.get('/credentials')).data as {
      linking: { require_user_hash: boolean };
    };
    expect(linking.linking.require_user_hash).toBe(true);
    const unsigned = await flow.boot(owner.merchant, { user_id: 'ann', user_hash: undefined });
    expect(unsigned.body.params).toEqual({ user_hash: 'is required' });
  });
});
