import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { ReferralDetail, ReferralPage } from '../api-types.ts';

describe('The change of a referrer in the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  let id: string;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
    owner = await running.signUp();
    await flow.link(owner.merchant, 'ann', 'bob');
    await flow.link(owner.merchant, 'carol', 'dave');
    await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: 'order', member_id: 'bob' }));
    const { items } = (await owner.browser.get('/referrals?member_id=bob')).data as ReferralPage;
    id = items[0]?.id ?? '';
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  const move = (body: object, { browser } = owner) =>
    browser.post(`/referrals/${id}/move`, { reason: 'wrong code', key: 'key', dry_run: false, ...body });

  it('shows what it changes, then changes it once and names who did it', async () => {
    const { code } = await flow.database.member.findFirstOrThrow({ where: { memberId: 'carol' } });
    const points = { rewards: 1, totals: [{ unit: 'points', amount: 3_000 }] };
    const expected = { referrer_member_id: 'carol', withdrawn: points, given: points };
    expect((await move({ referrer: ` ${code.toLowerCase()}`, dry_run: true })).data).toEqual(expected);
    expect((await move({ referrer: 'carol' })).data).toEqual(expected);
    expect((await move({ referrer: 'carol' })).status).toBe(200);
    await flow.queues.settled();
    const { referral, rewards } = (await owner.browser.get(`/referrals/${id}`)).data as ReferralDetail;
    expect(referral).toMatchObject({
      referrer_member_id: 'carol',
      moves: [{ number: 1, from_referrer_member_id: 'ann', reason: 'wrong code', moved_by: owner.email }],
    });
    expect(rewards.map(({ member_id: member, state }) => `${member} ${state}`).toSorted()).toEqual([
      'ann revoked',
      'bob confirmed',
      'carol confirmed',
    ]);
  });

  it('is refused for members and orders that do not fit, for viewers, and in other shops', async () => {
    const reasonOf = async (body: object) => {
      const { status, text } = await move({ key: 'another', ...body });
      return [status, (JSON.parse(text) as { reason: { code: string } }).reason.code];
    };
    expect(await reasonOf({ referrer: 'nobody' })).toEqual([409, 'referrer_unknown']);
    expect(await reasonOf({ referrer: 'bob' })).toEqual([409, 'same_member']);
    expect(await reasonOf({ referrer: 'carol' })).toEqual([409, 'link_unchanged']);
    expect(await reasonOf({ referrer: 'ann', from_order_id: 'x' })).toEqual([409, 'order_not_of_referee']);
    expect(await reasonOf({ referrer: 'ann', key: 'key' })).toEqual([409, 'key_reused']);
    await flow.link(owner.merchant, 'bob', 'eve');
    expect(await reasonOf({ referrer: 'eve' })).toEqual([409, 'referral_cycle']);
    expect((await move({ referrer: 'ann' }, await running.signUp())).status).toBe(404);
    await flow.database.membership.updateMany({
      where: { merchantId: owner.merchant.id },
      data: { role: 'viewer' },
    });
    expect((await move({ referrer: 'ann' })).status).toBe(403);
  });
});
