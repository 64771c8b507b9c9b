import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { AuditPage, PageOfMember, ReferralDetail, ReferralPage } from '../api-types.ts';

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

describe('The change of a referrer in the console', () => {
  let id: string;
  beforeEach(async () => {
    await flow.link(owner.merchant, 'ann', 'bob');
    await flow.link(owner.merchant, 'carol', 'dave');
    await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: 'order', member_id: 'bob' }));
    const { items } = (await owner.browser.get('/referrals?member_id=bob')).data as ReferralPage;
    id = items[0]?.id ?? '';
  });

  const move = (body: object, { browser } = owner) =>
    browser.post(`/referrals/${id}/move`, { reason: 'wrong code', key: 'key', dry_run: false, ...body });

  it('shows what it changes, then changes it once and names who did it', async () => {
    const { code } = await flow.database.member.findFirstOrThrow({
      where: { merchantId: owner.merchant.id, memberId: 'carol' },
    });
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
    expect(await reasonOf({ referrer: 'ann' })).toEqual([409, 'link_unchanged']);
    // Stored before such ids were refused.
    const placeholder = { merchantId: owner.merchant.id, memberId: 'undefined', code: 'GG3BXZT7' };
    await flow.database.member.create({ data: { ...placeholder, lookAlike: new Uint8Array(32) } });
    expect(await reasonOf({ referrer: 'undefined' })).toEqual([409, 'not_a_member']);
    expect(await reasonOf({ referrer: 'gg3b-xzt7' })).toEqual([409, 'not_a_member']);
    expect(await reasonOf({ referrer: 'ann', from_order_id: 'x' })).toEqual([409, 'order_not_of_referee']);
    expect((await move({ referrer: 'carol' })).status).toBe(200);
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

describe('A member who is merged in the console', () => {
  const merge = (from: string, into: string) =>
    owner.browser.post(`/members/${encodeURIComponent(from)}/merge`, {
      into_member_id: into,
      reason: 'two accounts',
      key: JSON.stringify([from, into]),
      dry_run: false,
    });
  const merges = async () => {
    const { items } = (await owner.browser.get('/audit?action=member.merged')).data as AuditPage;
    return items.map(({ subject_id: subject, subject_merge: merged }) => [subject?.slice(0, 4), merged]);
  };

  it('is named in the activity until one of them is erased', async () => {
    await flow.syncAndSettle(
      owner.merchant,
      buildOrder({ order_id: 'order', member_id: 'old', paid_at: null }),
    );
    expect((await merge('old', 'new')).status).toBe(200);
    expect((await merge('new', 'newest')).status).toBe(200);
    const entries = [
      ['mrg_', { from_member_id: 'new', into_member_id: 'newest' }],
      ['mrg_', { from_member_id: 'old', into_member_id: 'new' }],
    ];
    expect(await merges()).toEqual(entries);
    const { entries: listed } = await flow.admin('audit list', {
      merchant: owner.merchant.id,
      action: 'member.merged',
    });
    expect(listed).toMatchObject(entries.map(([, merged]) => ({ subject_merge: merged })));
    await flow.admin('member erase', { merchant: owner.merchant.id, member: 'newest' });
    expect(await merges()).toEqual([
      ['mrg_', null],
      ['mrg_', null],
    ]);
  });

  it('is not renamed to a placeholder or to an id that nobody can read', async () => {
    await flow.boot(owner.merchant, { user_id: 'old' });
    const refusedAs = async (into: string) => {
      const { status, text } = await merge('old', into);
      return [status, (JSON.parse(text) as { fields: object }).fields];
    };
    const refused = (code: string) => [400, { into_member_id: { code, parameters: {} } }];
    expect(await refusedAs('   ')).toEqual(refused('placeholder_id'));
    expect(await refusedAs('null')).toEqual(refused('placeholder_id'));
    expect(await refusedAs('new\u200f')).toEqual(refused('unseen_characters'));
  });

  it('is found by the former id in every list, which names the survivor', async () => {
    await flow.receiver(owner.merchant, 'reward.issue');
    await flow.link(owner.merchant, 'ann', 'old');
    await flow.link(owner.merchant, 'eve', 'new');
    await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: 'order', member_id: 'old' }));
    expect((await merge('old', 'new')).status).toBe(200);
    await flow.queues.settled();
    const list = async (path: string) => (await owner.browser.get(path)).data as PageOfMember<object>;
    const lists = [
      '/orders?member_id=',
      '/rewards?member_id=',
      '/deliveries?search=',
      '/referrals?member_id=',
    ];
    for (const path of lists) {
      const [former, survivor] = [await list(`${path}old`), await list(`${path}new`)];
      expect([path, survivor.survivor_member_id, former.survivor_member_id]).toEqual([
        path,
        undefined,
        'new',
      ]);
      expect(survivor.items).toHaveLength(1);
      // The referral of the former id that ended in the merge still has it.
      const ended = path.startsWith('/referrals') ? 1 : 0;
      expect(former.items).toHaveLength(1 + ended);
      expect(former.items).toEqual(expect.arrayContaining(survivor.items));
    }
    for (const csv of ['/rewards.csv', '/referrals.csv'])
      expect((await owner.browser.get(`${csv}?member_id=old`)).text).toContain('new');
  });
});
