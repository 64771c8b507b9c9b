import { publishProgram, eraseMember } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('Corrections by hand', () => {
  type Received = {
    type: string;
    data: { reward: { id: string; amount: number }; role: string; reason?: string };
  };
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });

  const why = { reason: 'Promised by support' };
  let keys = 0;
  const post = (path: string, body: object, key: string | null = `key-${(keys += 1)}`) =>
    flow.call(`/api/open${path}`, body, {
      key: merchant.secretKey,
      headers: key === null ? {} : { 'idempotency-key': key },
    });
  const grant = (orderId: string, body: object, key?: string | null) =>
    post(`/orders/${orderId}/rewards/`, { ...why, ...body }, key);
  const rewards = async () =>
    (
      await flow.database.reward.findMany({
        where: { merchantId: merchant.id },
        orderBy: { createdAt: 'asc' },
      })
    )
      .map(({ role, state, amount, orderId }) => `${orderId} ${role} ${Number(amount)} ${state}`)
      .toSorted((one, other) => one.localeCompare(other));
  const idOf = async (role: string) =>
    (
      await flow.database.reward.findFirstOrThrow({
        where: { merchantId: merchant.id, role, state: { in: ['pending', 'confirmed'] } },
      })
    ).id;
  const eventsOf = (hook: Awaited<ReturnType<Flow['receiver']>>) =>
    hook.received
      .map(({ rawBody }) => JSON.parse(rawBody.toString()) as Received)
      .map(({ type, data: { reward, role, reason } }) => [
        type,
        role,
        reward.amount,
        ...(reason ? [reason] : []),
      ]);
  const publish = (rule: FlatTerms) => publishProgram(flow.database, merchant.id, parseTerms(rule));
  const spent = async () =>
    Number((await flow.database.program.findUniqueOrThrow({ where: { merchantId: merchant.id } })).spent);
  const reasonOf = async (orderId: string) =>
    (
      (
        await flow.call(`/api/open/orders/${orderId}/explain/`, undefined, {
          method: 'GET',
          key: merchant.secretKey,
        })
      ).body.data as { decision: { reason: string } }
    ).decision.reason;

  const order = (changes: object = {}) => buildOrder({ order_id: 'order', member_id: 'bob', ...changes });

  describe('A reward that a person grants', () => {
    it('is sent like any other, counts in the budget, and stays whatever becomes of the order', async () => {
      const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const granted = await grant('order', { role: 'referee', amount: 500 });
      expect([granted.status, granted.body.data]).toEqual([
        201,
        expect.objectContaining({ amount: 500, unit: 'points', state: 'confirmed', corrected: 'granted' }),
      ]);
      await hook.waitFor(() => hook.received.length === 1, 10_000);
      await flow.syncAndSettle(merchant, order());
      await flow.syncAndSettle(merchant, order({ cancelled_at: new Date().toISOString() }));
      expect(await rewards()).toEqual([
        'order referee 3000 revoked',
        'order referee 500 confirmed',
        'order referrer 3000 revoked',
      ]);
      expect(await spent()).toBe(500);
    });

    it('is given once for an Idempotency-Key, also by calls at the same time', async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const body = { role: 'referrer', amount: 7 };
      const answers = await Promise.all([1, 2, 3].map(() => grant('order', body, 'same')));
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        200, 200, 201,
      ]);
      expect(new Set(answers.map(({ body: { data } }) => data['id'])).size).toBe(1);
      expect(await rewards()).toEqual(['order referrer 7 confirmed']);
      const other = await grant('order', { ...body, amount: 8 }, 'same');
      expect([other.status, other.body.code]).toEqual([409, 'idempotency_key_reused']);
      const without = await grant('order', body, null);
      expect(without.body.params).toHaveProperty(['Idempotency-Key']);
    });

    it('is refused over a cap or the budget, unless the limits may be exceeded', async () => {
      await publish({ budget: 6_000, referrerCap: { total: 1, month: null } });
      await flow.syncAndSettle(merchant, order());
      for (const role of ['referee', 'referrer']) {
        const body = { role, amount: 1, another: true };
        const refused = await grant('order', body);
        expect([refused.status, refused.body.code]).toEqual([409, 'limit_exceeded']);
        const given = await grant('order', { ...body, exceed_limits: true });
        expect(given.status).toBe(201);
      }
      expect(await spent()).toBe(6_002);
    });

    it('needs an order of a referred member, and names what is wrong in the body', async () => {
      await flow.syncAndSettle(merchant, buildOrder({ order_id: 'strange', member_id: 'eve' }));
      const strange = await grant('strange', { role: 'referee', amount: 1 });
      expect([strange.status, strange.body.code]).toEqual([409, 'member_not_linked']);
      expect((await grant('none', { role: 'referee', amount: 1 })).status).toBe(404);
      const invalid = await post('/orders/strange/rewards/', { role: 'boss', amount: 0 });
      expect(Object.keys(invalid.body.params ?? {})).toEqual(['role', 'amount', 'reason']);
    });
  });

  describe('A reward that a person revokes', () => {
    it('is taken back with its reason code, and no order of the referral earns it again', async () => {
      const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await flow.syncAndSettle(merchant, order());
      const id = await idOf('referee');
      const revoked = await post(`/rewards/${id}/revoke/`, why);
      expect([revoked.status, revoked.body.data]).toEqual([
        200,
        expect.objectContaining({ id, state: 'revoked', corrected: 'revoked' }),
      ]);
      await hook.waitFor(() => hook.received.length === 3, 10_000);
      expect(eventsOf(hook).at(-1)).toEqual(['reward.revoke', 'referee', 3_000, 'revoked_by_person']);
      await flow.queues.settled();
      await flow.syncAndSettle(merchant, order({ paid_amount: 40_000 }));
      await flow.syncAndSettle(merchant, buildOrder({ member_id: 'bob', first_order: true }));
      expect(await rewards()).toEqual(['order referee 3000 revoked', 'order referrer 3000 confirmed']);
      const again = await post(`/rewards/${id}/revoke/`, why);
      expect([again.status, again.body.code]).toEqual([409, 'reward_ended']);

      await post(`/rewards/${await idOf('referrer')}/revoke/`, why);
      await flow.queues.settled();
      expect(await reasonOf('order')).toBe('revoked_by_person');
      expect((await grant('order', { role: 'referee', amount: 10 })).status).toBe(201);
      expect(await spent()).toBe(10);
    });
  });

  describe('A reward that a person gave and revoked', () => {
    it('is not given by a rule afterwards, so that no webhook grants twice', async () => {
      const hook = await flow.receiver(merchant, 'reward.issue');
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const granted = await grant('order', { role: 'referrer', amount: 3_000 });
      expect((await post(`/rewards/${String(granted.body.data['id'])}/revoke/`, why)).status).toBe(200);
      await flow.queues.settled();
      await flow.syncAndSettle(merchant, order());
      expect(await rewards()).toEqual(['order referee 3000 confirmed', 'order referrer 3000 revoked']);
      await hook.waitFor(() => hook.received.length === 2, 10_000);
      expect(eventsOf(hook).map(([, role]) => role)).toEqual(['referrer', 'referee']);
    });
  });

  describe('A reward that a person gives for an order that is not paid', () => {
    it('counts against the cap of this month', async () => {
      await publish({ referrerCap: { total: null, month: 1 } });
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const body = { role: 'referrer', amount: 1 };
      expect((await grant('order', body)).status).toBe(201);
      expect((await grant('order', { ...body, another: true })).body.code).toBe('limit_exceeded');
    });
  });

  describe('A second reward of a role for one order', () => {
    const idsOf = async (role: string) =>
      (
        await flow.database.reward.findMany({
          where: { merchantId: merchant.id, role },
          orderBy: { createdAt: 'asc' },
        })
      ).map(({ id }) => id);

    it('is refused with the id and the amount of each that is live, unless it is asked for', async () => {
      await flow.syncAndSettle(merchant, order());
      const body = { role: 'referee', amount: 500 };
      const refused = await grant('order', body, 'same');
      const [byRule] = await idsOf('referee');
      expect([refused.status, refused.body.code]).toEqual([409, 'reward_exists']);
      expect(refused.body.message).toContain(`${byRule} (3,000 points)`);
      // The refused call has not used the key.
      expect((await grant('order', { ...body, another: true }, 'same')).status).toBe(201);
      const again = await grant('order', body);
      const [, byHand] = await idsOf('referee');
      expect(again.body.message).toContain(`${byRule} (3,000 points), ${byHand} (500 points)`);
      expect(await rewards()).toEqual([
        'order referee 3000 confirmed',
        'order referee 500 confirmed',
        'order referrer 3000 confirmed',
      ]);
    });

    it('is refused to all but one of the people who give it at the same time', async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const answers = await Promise.all(
        [1, 2, 3].map((number) => grant('order', { role: 'referrer', amount: 10 }, `person ${number}`)),
      );
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
        201, 409, 409,
      ]);
      expect(await rewards()).toEqual(['order referrer 10 confirmed']);
    });

    it('is given when those before it have ended, and when they are of the other role or of another order', async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      await flow.syncAndSettle(merchant, order({ order_id: 'other', paid_at: null }));
      const body = { role: 'referee', amount: 1 };
      const first = await grant('order', body);
      await post(`/rewards/${String(first.body.data['id'])}/revoke/`, why);
      for (const [orderId, role] of [
        ['order', 'referee'],
        ['order', 'referrer'],
        ['other', 'referee'],
      ] as const)
        expect((await grant(orderId, { role, amount: 1 })).status).toBe(201);
    });
  });

  describe('The limit of rewards by hand', () => {
    const limit = (amount: number) =>
      flow.admin('merchant update', { merchant: merchant.id, 'manual-reward-limit': String(amount) });
    const tooHigh = (most: string) => ({
      amount: `must be ${most} or less, the limit of the shop for rewards by hand`,
    });

    it('refuses a reward of more than 1,000,000 units, unless the operator raises it', async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const body = { role: 'referee', amount: 10 ** 15, exceed_limits: true };
      const refused = await grant('order', body, 'same');
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request']);
      expect(refused.body.params).toEqual(tooHigh('1,000,000'));
      expect((await grant('order', { ...body, amount: 1_000_001 })).body.params).toEqual(
        tooHigh('1,000,000'),
      );
      expect((await grant('order', { ...body, amount: 1_000_000 })).status).toBe(201);
      await limit(10 ** 15);
      expect((await grant('order', { ...body, another: true }, 'same')).status).toBe(201);
    });

    it('allows an adjustment up to the amount that the reward has', async () => {
      await flow.syncAndSettle(merchant, order());
      await limit(2_000);
      const adjust = async (amount: number) =>
        post(`/rewards/${await idOf('referee')}/adjust/`, { ...why, amount });
      const refused = await adjust(3_001);
      expect([refused.status, refused.body.params]).toEqual([
        400,
        { amount: 'must be 3,000 or less, what the reward has' },
      ]);
      expect((await adjust(2_999)).status).toBe(200);
      expect((await adjust(3_000)).body.params).toEqual({
        amount: 'must be 2,999 or less, what the reward has',
      });
      expect((await adjust(1)).status).toBe(200);
      expect((await adjust(2_000)).status).toBe(200);
      expect((await adjust(2_001)).body.params).toEqual(tooHigh('2,000'));
    });
  });

  describe('A reward that a person adjusts', () => {
    it('is replaced by one with the amount, which the order no longer changes', async () => {
      const tenPercent = { kind: 'percent' as const, rate: 10, cap: null };
      await publish({ referrer: null, referee: { type: 'points', unit: 'points', amount: tenPercent } });
      const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await flow.syncAndSettle(merchant, order());
      const adjusted = await post(`/rewards/${await idOf('referee')}/adjust/`, { ...why, amount: 100 });
      expect([adjusted.status, adjusted.body.data]).toEqual([
        200,
        expect.objectContaining({ amount: 100, state: 'confirmed', corrected: 'adjusted' }),
      ]);
      await hook.waitFor(() => hook.received.length === 3, 10_000);
      expect(eventsOf(hook).slice(1)).toEqual([
        ['reward.revoke', 'referee', 3_000, 'amount_changed'],
        ['reward.issue', 'referee', 100],
      ]);
      await flow.syncAndSettle(merchant, order({ paid_amount: 300_000 }));
      expect(await rewards()).toContain('order referee 100 confirmed');
      const same = await post(`/rewards/${await idOf('referee')}/adjust/`, { ...why, amount: 100 });
      expect(same.body.params).toHaveProperty('amount');
      await flow.syncAndSettle(merchant, order({ cancelled_at: new Date().toISOString() }));
      expect(await rewards()).toContain('order referee 100 revoked');
      expect(await spent()).toBe(0);
    });

    it('keeps its amount when it is confirmed, if it was pending', async () => {
      await publish({ holdDays: 30, referrer: null });
      await flow.syncAndSettle(merchant, order());
      await post(`/rewards/${await idOf('referee')}/adjust/`, { ...why, amount: 50 });
      await flow.syncAndSettle(merchant, order({ paid_amount: 40_000 }));
      expect(await rewards()).toEqual(['order referee 50 pending']);
      expect(await spent()).toBe(50);
    });

    it('is refused when a webhook is not sent the revocation', async () => {
      await flow.receiver(merchant, 'reward.issue');
      await flow.syncAndSettle(merchant, order());
      const refused = await post(`/rewards/${await idOf('referee')}/adjust/`, { ...why, amount: 100 });
      expect([refused.status, refused.body.code]).toEqual([409, 'revocation_not_notified']);
      expect(await spent()).toBe(6_000);
    });
  });

  describe('A change that a person makes twice at the same time, with one Idempotency-Key', () => {
    /** The last of the budget and of the cap. */
    const roomForOne = { budget: 6_000, referrerCap: { total: 2, month: null } };
    const granting = async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      return { path: '/orders/order/rewards/', body: { ...why, role: 'referrer', amount: 6_000 } };
    };
    const changing = (verb: string, body: object) => async () => {
      await flow.syncAndSettle(merchant, order());
      return { path: `/rewards/${await idOf('referrer')}/${verb}/`, body: { ...why, ...body } };
    };
    const ofMembers = (verb: string, body: object) => async () => {
      await flow.syncAndSettle(merchant, order());
      return { path: `/members/${verb}/`, body: { ...why, ...body } };
    };
    it.each([
      ['A grant into the last of the budget', granting, [200, 201]],
      ['An adjustment', changing('adjust', { amount: 5 }), [200, 200]],
      ['A revocation', changing('revoke', {}), [200, 200]],
      ['A move', ofMembers('move-link', { referee_member_id: 'bob', referrer_member_id: 'eve' }), [200, 200]],
      ['A merge', ofMembers('merge', { from_member_id: 'bob', into_member_id: 'bobby' }), [200, 200]],
    ])('%s is made once, and both answers say so', async (_name, given, statuses) => {
      await publish(roomForOne);
      const { path, body } = await given();
      const { answers } = await flow.database.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT 1 FROM referrals WHERE merchant_id = ${merchant.id} FOR UPDATE`;
        const calls: ReturnType<typeof post>[] = [];
        for (const waiting of [1, 2]) {
          calls.push(post(path, body, 'same'));
          await waitForLocks(flow.database, waiting);
        }
        return { answers: calls };
      });
      const got = await Promise.all(answers);
      expect(got.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual(statuses);
      expect(got[0]?.body.data['id']).toBe(got[1]?.body.data['id']);
      const entries = await flow.database.auditEntry.findMany({
        where: {
          merchantId: merchant.id,
          action: {
            in: ['reward.granted', 'reward.adjusted', 'reward.revoked', 'referral.moved', 'member.merged'],
          },
        },
      });
      expect(entries.map(({ outcome }) => outcome)).toEqual(['done']);
    });
  });

  describe('The command line', () => {
    it('grants, adjusts and revokes, with an entry in the audit', async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const run = (name: string, options: Record<string, string | true>) =>
        flow.admin(name, { merchant: merchant.id, ...why, ...options });
      const { rewardId } = await run('reward grant', { order: 'order', role: 'referee', amount: '5' });
      const adjusted = await run('reward adjust', { reward: String(rewardId), amount: '6' });
      await run('reward revoke', { reward: String(adjusted['rewardId']) });
      expect(await rewards()).toEqual(['order referee 5 revoked', 'order referee 6 revoked']);
      const given = { order: 'order', role: 'referee', amount: '5' };
      await expect(run('reward grant', { ...given, amount: '1000001' })).rejects.toThrow(
        '--amount must be 1,000,000 or less',
      );
      const { rewardId: first } = await run('reward grant', given);
      await expect(run('reward grant', given)).rejects.toThrow(`${String(first)} (5 points)`);
      await run('reward grant', { ...given, another: true });
      expect(await rewards()).toContain('order referee 5 confirmed');
      await expect(run('reward revoke', { reward: 'rwd_none' })).rejects.toThrow('no such order or reward');
    });

    it('stores that the operator made a correction, and the API that it did', async () => {
      await flow.syncAndSettle(merchant, order({ paid_at: null }));
      const given = { merchant: merchant.id, order: 'order', role: 'referee', amount: '5', ...why };
      await flow.admin('reward grant', given);
      await grant('order', { role: 'referrer', amount: 5 });
      const corrections = await flow.database.rewardCorrection.findMany({
        where: { merchantId: merchant.id },
        orderBy: { createdAt: 'asc' },
      });
      expect(corrections.map(({ correctedBy }) => correctedBy)).toEqual(['operator', 'api']);
    });
  });
});

describe('Rewards that were confirmed while no webhook was registered for them', () => {
  type Hook = Awaited<ReturnType<Flow['receiver']>>;
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });

  const webhookOf = async (url: string) =>
    (
      await flow.database.endpoint.findFirstOrThrow({
        where: { merchantId: merchant.id, url: `${url}/hook` },
      })
    ).id;
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
