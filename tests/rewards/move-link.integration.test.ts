import { publishProgram } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

type Received = {
  type: string;
  data: {
    reward: { id: string };
    member_id: string;
    role: string;
    referral: { id: string; code: string; referrer_member_id: string; linked_at: string };
    reason?: string;
  };
};
type Answer = Awaited<ReturnType<Flow['call']>>;

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => (flow = await startFlow()));
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

const reason = 'Wrong code at sign-up';
let keys = 0;
const newKey = () => `key-${(keys += 1)}`;
const move = async (body: object, key: string | null = newKey(), of = merchant): Promise<Answer> => {
  const answer = await flow.call(
    '/api/open/members/move-link/',
    { referee_member_id: 'bob', reason, ...body },
    { key: of.secretKey, headers: key === null ? {} : { 'idempotency-key': key } },
  );
  await flow.queues.settled();
  return answer;
};
const get = async (path: string) =>
  (await flow.call(`/api/open${path}`, undefined, { method: 'GET', key: merchant.secretKey })).body.data;
const publish = (rule: FlatTerms) => publishProgram(flow.database, merchant.id, parseTerms(rule));
const order = (changes: object = {}) => buildOrder({ order_id: 'order', member_id: 'bob', ...changes });
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const placed = (days: number) => ({ order_date: daysAgo(days), paid_at: daysAgo(days) });
const rewards = async () =>
  (await flow.database.reward.findMany({ where: { merchantId: merchant.id } }))
    .map(({ role, state, memberId, orderId, blockedByOpenRevocation }) =>
      [orderId, role, memberId, state, ...(blockedByOpenRevocation ? ['not notified'] : [])].join(' '),
    )
    .toSorted((one, other) => one.localeCompare(other));
const spent = async () =>
  Number((await flow.database.program.findUniqueOrThrow({ where: { merchantId: merchant.id } })).spent);
const eventsOf = (hook: Awaited<ReturnType<Flow['receiver']>>) =>
  hook.received.map(({ rawBody }) => JSON.parse(rawBody.toString()) as Received);

describe('A link that a person moves', () => {
  it('keeps its id, and the reward goes from the former referrer to the new one, once', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.syncAndSettle(merchant, order());
    const moved = await move({ referrer_member_id: 'carol' });
    expect([moved.status, moved.body.data]).toEqual([
      200,
      expect.objectContaining({
        referrer_member_id: 'carol',
        former_referrer_member_id: 'ann',
        dry_run: false,
        from_order_id: null,
        withdrawn: expect.objectContaining({ rewards: 1, totals: [{ unit: 'points', amount: 3_000 }] }),
        given: {
          rewards: 1,
          orders: [
            {
              order_id: 'order',
              rewards: [
                { role: 'referrer', member_id: 'carol', type: 'points', amount: 3_000, unit: 'points' },
              ],
            },
          ],
          totals: [{ unit: 'points', amount: 3_000 }],
        },
      }),
    ]);
    await hook.waitFor(() => hook.received.length === 4, 10_000);
    expect(await rewards()).toEqual([
      'order referee bob confirmed',
      'order referrer ann revoked',
      'order referrer carol confirmed',
    ]);
    expect(await spent()).toBe(6_000);
    const [first, , revoked, issued] = eventsOf(hook);
    expect(
      [revoked, issued].map((event) => [event?.type, event?.data.member_id, event?.data.reason]),
    ).toEqual([
      ['reward.revoke', 'ann', 'link_moved'],
      ['reward.issue', 'carol', undefined],
    ]);
    // The body shows the referral as it was when the reward was issued.
    expect(revoked?.data.referral).toEqual(first?.data.referral);
    expect(issued?.data.referral).toEqual({
      ...first?.data.referral,
      code: moved.body.data['code'],
      referrer_member_id: 'carol',
    });
    expect(await get(`/referrals/${String(moved.body.data['id'])}/`)).toMatchObject({
      referrer_member_id: 'carol',
      moves: [{ number: 1, from_referrer_member_id: 'ann', to_referrer_member_id: 'carol', reason }],
    });
    const { timeline } = (await get('/orders/order/explain/')) as { timeline: Record<string, unknown>[] };
    const entries = timeline.filter(({ what }) => ['member_linked', 'link_moved'].includes(String(what)));
    expect(entries).toMatchObject([
      { what: 'member_linked', referrer_member_id: 'ann' },
      { what: 'link_moved', from_referrer_member_id: 'ann', referrer_member_id: 'carol', reason },
    ]);
    const audited = await flow.database.auditEntry.findFirstOrThrow({
      where: { merchantId: merchant.id, action: 'referral.moved' },
    });
    expect(audited).toMatchObject({ subjectId: moved.body.data['id'], actorKind: 'api_key' });
  });

  it('moves the rewards of each order under the every-order rule, and follows the order since', async () => {
    await publish({ trigger: 'every_order' });
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order());
    await flow.syncAndSettle(merchant, order({ order_id: 'second' }));
    await move({ referrer_member_id: 'carol' });
    await flow.syncAndSettle(merchant, order({ order_id: 'second', cancelled_at: new Date().toISOString() }));
    expect(await rewards()).toEqual([
      'order referee bob confirmed',
      'order referrer ann revoked',
      'order referrer carol confirmed',
      'second referee bob revoked',
      'second referrer ann revoked',
      'second referrer carol revoked',
    ]);
    expect(await spent()).toBe(6_000);
  });

  it('can be moved back: each referrer has the reward that the last move left them', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.syncAndSettle(merchant, order());
    await move({ referrer_member_id: 'carol' });
    const { body } = await move({ referrer_member_id: 'ann' });
    await hook.waitFor(() => hook.received.length === 6, 10_000);
    expect(await rewards()).toEqual([
      'order referee bob confirmed',
      'order referrer ann confirmed',
      'order referrer ann revoked',
      'order referrer carol revoked',
    ]);
    const events = eventsOf(hook).filter(({ data }) => data.role === 'referrer');
    expect(events.map(({ type, data }) => [type, data.referral.referrer_member_id])).toEqual([
      ['reward.issue', 'ann'],
      ['reward.revoke', 'ann'],
      ['reward.issue', 'carol'],
      ['reward.revoke', 'carol'],
      ['reward.issue', 'ann'],
    ]);
    expect(new Set(events.map(({ data }) => data.reward.id)).size).toBe(3);
    expect(await get(`/referrals/${String(body.data['id'])}/`)).toMatchObject({
      moves: [{ number: 2, to_referrer_member_id: 'ann' }, { number: 1 }],
    });
    expect(await get('/members/bob/')).toMatchObject({ referrer: { member_id: 'ann', moves: 2 } });
  });

  it('gives nobody a second reward at a webhook that does not hear the revocation', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const hook = await flow.receiver(merchant, 'reward.issue');
    await flow.syncAndSettle(merchant, order());
    await move({ referrer_member_id: 'carol' });
    expect(await rewards()).toEqual([
      'order referee bob confirmed',
      'order referrer ann revoked',
      'order referrer carol confirmed not notified',
    ]);
    expect(hook.received).toHaveLength(2);
  });

  it('counts against the cap of the new referrer', async () => {
    await publish({ referrerCap: { total: 1, month: null } });
    await flow.link(merchant, 'carol', 'dave');
    await flow.syncAndSettle(merchant, order({ order_id: 'other', member_id: 'dave' }));
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order());
    const { body } = await move({ referrer_member_id: 'carol' });
    expect(body.data).toMatchObject({ withdrawn: { rewards: 1 }, given: { rewards: 0 } });
    expect(await rewards()).toEqual([
      'order referee bob confirmed',
      'order referrer ann revoked',
      'other referee dave confirmed',
      'other referrer carol confirmed',
    ]);
  });

  it('cancels a reward that waits for its hold, without an event', async () => {
    await publish({ holdDays: 30 });
    await flow.link(merchant, 'ann', 'bob');
    const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.syncAndSettle(merchant, order());
    await move({ referrer_member_id: 'carol' });
    expect(await rewards()).toEqual([
      'order referee bob pending',
      'order referrer ann cancelled',
      'order referrer carol pending',
    ]);
    expect(hook.received).toHaveLength(0);
  });

  it('stays under review, and neither changes nor sees a reward that a person gave', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order({ paid_at: null }));
    await flow.call(
      '/api/open/orders/order/rewards/',
      { role: 'referrer', amount: 5, reason },
      { key: merchant.secretKey, headers: { 'idempotency-key': newKey() } },
    );
    await flow.database.referral.updateMany({
      where: { merchantId: merchant.id },
      data: { review: 'pending' },
    });
    await flow.syncAndSettle(merchant, order());
    const { body } = await move({ referrer_member_id: 'carol' });
    expect(body.data).toMatchObject({ review: 'pending' });
    expect(await rewards()).toEqual([
      'order referee bob pending',
      'order referrer ann cancelled',
      'order referrer ann confirmed',
      'order referrer carol pending',
    ]);
  });

  it('is moved once for an Idempotency-Key, also by calls at the same time', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order());
    const body = { referrer_member_id: 'carol' };
    const answers = await Promise.all([1, 2, 3].map(() => move(body, 'same')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await flow.database.referralMove.count({ where: { merchantId: merchant.id } })).toBe(1);
    const other = await move({ referrer_member_id: 'dave' }, 'same');
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
    expect((await move(body, null)).body.params).toHaveProperty(['Idempotency-Key']);
    expect(await rewards()).toEqual([
      'order referee bob confirmed',
      'order referrer ann revoked',
      'order referrer carol confirmed',
    ]);
  });

  it('leaves one live reward for each role, whatever is evaluated at the same time', async () => {
    await publish({ trigger: 'every_order' });
    await flow.link(merchant, 'ann', 'bob');
    const ids = Array.from({ length: 12 }, (_, index) => `order-${index}`);
    const referrers = ['carol', 'dave', 'ann', 'eve'];
    await Promise.all([
      ...ids.map((id) => flow.syncAndSettle(merchant, order({ order_id: id }))),
      (async () => {
        for (const referrer of referrers) await move({ referrer_member_id: referrer });
      })(),
    ]);
    await flow.queues.settled();
    const live = (await rewards()).filter((reward) => reward.endsWith('confirmed'));
    const expected = ids.flatMap((id) => [`${id} referee bob confirmed`, `${id} referrer eve confirmed`]);
    expect(live).toEqual(expected.toSorted((one, other) => one.localeCompare(other)));
    expect(await spent()).toBe(ids.length * 6_000);
  });

  it('is refused when it would close a cycle, links a member to themselves or changes nothing', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await flow.link(merchant, 'bob', 'carol');
    const cycle = await move({ referrer_member_id: 'carol' });
    expect([cycle.status, cycle.body.code]).toEqual([409, 'referral_cycle']);
    expect((await move({ referrer_member_id: 'bob' })).body.params).toHaveProperty('referee_member_id');
    expect((await move({ referrer_member_id: 'ann' })).body.params).toHaveProperty('referrer_member_id');
    expect((await move({ referral_code: 'AAAABBBB' })).body.params).toHaveProperty('referral_code');
    expect((await move({})).body.params).toHaveProperty('referrer_member_id');
    const unknown = await move({ referrer_member_id: 'dave', from_order_id: 'none' });
    expect(unknown.body.params).toHaveProperty('from_order_id');
    const other = await flow.openMerchant();
    expect((await move({ referrer_member_id: 'dave' }, newKey(), other)).status).toBe(404);
    expect(await flow.database.referralMove.count({ where: { merchantId: merchant.id } })).toBe(0);
    expect(await flow.database.member.count({ where: { merchantId: other.id } })).toBe(0);
  });

  it('is not moved by a dry run, which answers as the move does', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order());
    const dry = await move({ referrer_member_id: 'carol', dry_run: true });
    expect(dry.body.data).toMatchObject({ referrer_member_id: 'carol', dry_run: true });
    expect(await get('/members/bob/')).toMatchObject({ referrer: { member_id: 'ann', moves: 0 } });
    expect(await flow.database.member.count({ where: { merchantId: merchant.id, memberId: 'carol' } })).toBe(
      0,
    );
    expect(await rewards()).toEqual(['order referee bob confirmed', 'order referrer ann confirmed']);
    const { body } = await move({ referrer_member_id: 'carol' });
    const { code: _made, ...moved } = body.data;
    const { code: _other, ...shown } = dry.body.data;
    expect(moved).toEqual({ ...shown, dry_run: false });
  });

  it('can be moved, without a preview of its rewards, when an order of the referee cannot be read', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order());
    await flow.database.order.updateMany({ where: { merchantId: merchant.id }, data: { items: {} } });
    const options = { merchant: merchant.id, referee: 'bob', referrer: 'carol', reason };
    expect(await flow.admin('member move-link', { ...options, 'dry-run': true })).toEqual({
      dryRun: true,
      what: expect.stringContaining('an order of the referee cannot be read'),
      counts: {},
    });
    const { status, body } = await move({ referrer_member_id: 'carol', dry_run: true });
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({ referrer_member_id: 'carol', withdrawn: null, given: null, complete: false }),
    ]);
  });
});

describe('An order that came from a referrer', () => {
  it('counts from its date on, as the first one, also of a member who was not new', async () => {
    await flow.syncAndSettle(merchant, order({ order_id: 'old', ...placed(900) }));
    await flow.syncAndSettle(merchant, order({ order_id: 'from', ...placed(9) }));
    await flow.syncAndSettle(merchant, order({ order_id: 'later', ...placed(2) }));
    await bootWithCodeOf('ann');
    await flow.queues.settled();
    expect(await rewards()).toEqual([]);
    expect(await reasonOf('from')).toBe('not_new');
    const { body } = await move({ referrer_member_id: 'ann', from_order_id: 'from' });
    expect(body.data).toMatchObject({ from_order_id: 'from', given: { rewards: 2 } });
    expect(await rewards()).toEqual(['from referee bob confirmed', 'from referrer ann confirmed']);
    expect(await reasonOf('old')).toBe('before_link');
    expect(await reasonOf('later')).toBe('not_first_order');
    // The reward goes to the next one when the order is cancelled, and never to one from before.
    await flow.syncAndSettle(
      merchant,
      order({ order_id: 'from', ...placed(9), cancelled_at: new Date().toISOString() }),
    );
    expect((await rewards()).filter((reward) => reward.endsWith('confirmed'))).toEqual([
      'later referee bob confirmed',
      'later referrer ann confirmed',
    ]);
  });

  it('links a member without a referrer, under a rule that counts earlier orders too', async () => {
    await publish({ trigger: 'every_order', earlierOrders: 'count' });
    await flow.syncAndSettle(merchant, order({ order_id: 'old', ...placed(9) }));
    await flow.syncAndSettle(merchant, order({ order_id: 'from', ...placed(3) }));
    const none = await move({ referrer_member_id: 'ann' });
    expect([none.status, none.body.code]).toEqual([404, 'not_found']);
    const { status, body } = await move({ referrer_member_id: 'ann', from_order_id: 'from' });
    expect([status, body.data]).toEqual([
      200,
      expect.objectContaining({
        former_referrer_member_id: null,
        given: expect.objectContaining({ rewards: 2 }),
      }),
    ]);
    expect(await rewards()).toEqual(['from referee bob confirmed', 'from referrer ann confirmed']);
  });
});

const reasonOf = async (orderId: string) =>
  ((await get(`/orders/${orderId}/explain/`)) as { decision: { reason: string } }).decision.reason;

/** Boots bob with the code of a member. */
async function bootWithCodeOf(memberId: string): Promise<void> {
  const referrer = (await flow.boot(merchant, { user_id: memberId })).body.data;
  const code = String(referrer['referral_code']);
  await flow.boot(merchant, { user_id: 'bob', referral_code: code });
}

describe('The command line', () => {
  it('shows what a move takes back and gives, and moves with --yes', async () => {
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, order());
    const options = { merchant: merchant.id, referee: 'bob', referrer: 'carol', reason };
    const moved = await flow.admin('member move-link', options);
    expect(moved).toMatchObject({ formerReferrerMemberId: 'ann', isNew: true, ordersToEvaluate: 1 });
    await flow.queues.settled();
    expect(await rewards()).toContain('order referrer carol confirmed');
    await expect(flow.admin('member move-link', options)).rejects.toThrow('has this referrer');
  });
});

describe('A link of a member who was merged', () => {
  const named = { referee_member_id: 'bob', referrer_member_id: 'alice' };
  const merge = async (from: string, into: string) => {
    const headers = { 'idempotency-key': newKey() };
    const body = { from_member_id: from, into_member_id: into, reason: 'Two accounts' };
    const { status } = await flow.call('/api/open/members/merge/', body, {
      key: merchant.secretKey,
      headers,
    });
    expect(status).toBe(200);
    await flow.queues.settled();
  };
  const storedMoves = () => flow.database.referralMove.count({ where: { merchantId: merchant.id } });
  beforeEach(async () => {
    await flow.boot(merchant, { user_id: 'alice' });
    await flow.link(merchant, 'carol', 'bob');
    await flow.syncAndSettle(merchant, order());
  });

  it('is moved once for a key by a former id of the referee', async () => {
    await merge('bob', 'robert');
    const moved = await move(named, 'key');
    const referee = { referee_member_id: 'robert', former_referrer_member_id: 'carol' };
    expect([moved.status, moved.body.data]).toMatchObject([200, referee]);
    expect((await move(named, 'key')).status).toBe(200);
    expect(await storedMoves()).toBe(1);
  });

  it('is moved once for a key when its new referrer was merged since', async () => {
    expect((await move(named, 'key')).status).toBe(200);
    await merge('alice', 'alicia');
    expect((await move(named, 'key')).status).toBe(200);
    expect(await storedMoves()).toBe(1);
  });

  it('shows by a former id of the referee what a move would take back and give', async () => {
    await merge('bob', 'robert');
    const shown = await move({ ...named, dry_run: true }, 'key');
    expect(shown.body.data).toMatchObject({ withdrawn: { rewards: 1 }, given: { rewards: 1 } });
    expect(await storedMoves()).toBe(0);
  });
});
