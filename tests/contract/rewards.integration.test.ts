import { createHmac } from 'node:crypto';
import { identitySecretContext, publishProgram } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildItem, buildOrder, hoursAgo, waitFor } from '@rewardhook/testing';
import { syncPath } from '../harness/call-api.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('Members, referrals and rewards', () => {
  const cancelled = '2026-03-02T10:00:00+09:00';

  let shop: Merchant;
  beforeEach(async () => {
    shop = await flow.openMerchant();
  });

  const inShop = () => ({ where: { merchantId: shop.id } });
  const rewards = async () => {
    const rows = await flow.database.reward.findMany({
      ...inShop(),
      orderBy: [{ createdAt: 'asc' }, { role: 'asc' }],
    });
    return rows.map(({ role, memberId, state, orderId }) => [role, memberId, state, orderId]);
  };
  const order = (fields: Parameters<typeof buildOrder>[0] = {}) =>
    buildOrder({ member_id: 'bob', ...fields });
  const reasonOf = async (orderId: string) => {
    const { decisions } = await flow.admin('order show', { merchant: shop.id, order: orderId });
    return (decisions as { reason: string }[]).map(({ reason }) => reason);
  };

  describe('given once', () => {
    it('one reward per role is given for 40 concurrent identical requests', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await flow.link(shop, 'ann', 'bob');
      const body = { orders: [order()] };
      const answers = await Promise.all(
        Array.from({ length: 40 }, () => flow.call(syncPath, body, { key: shop.secretKey })),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      await flow.queues.settled();
      expect((await rewards()).map(([role]) => role)).toEqual(['referee', 'referrer']);
      expect(hook.received).toHaveLength(2);
    });

    it('one reward per role is given for 20 different orders at the same time', async () => {
      await flow.link(shop, 'ann', 'bob');
      await Promise.all(Array.from({ length: 20 }, () => flow.sync(shop, order({ first_order: true }))));
      await flow.queues.settled();
      expect((await rewards()).map(([role, , state]) => [role, state])).toEqual([
        ['referee', 'confirmed'],
        ['referrer', 'confirmed'],
      ]);
    });

    it('only the first paid order is rewarded, and the next has a reason why it is not', async () => {
      await flow.link(shop, 'ann', 'bob');
      const first = order({ order_date: hoursAgo(3) });
      const next = order({ order_date: hoursAgo(2) });
      await flow.syncAndSettle(shop, first);
      await flow.syncAndSettle(shop, next);
      expect(new Set((await rewards()).map(([, , , orderId]) => orderId))).toEqual(new Set([first.order_id]));
      expect(await reasonOf(next.order_id)).toEqual(['not_first_order']);
    });

    it('an unpaid, a cancelled or a returned order earns no reward', async () => {
      await flow.link(shop, 'ann', 'bob');
      const unpaid = order({ paid_at: null });
      const gone = order({ cancelled_at: cancelled });
      const back = order({ returned_at: cancelled });
      await flow.syncAndSettle(shop, unpaid, gone, back);
      expect(await rewards()).toEqual([]);
      expect(await Promise.all([unpaid, gone, back].map(({ order_id }) => reasonOf(order_id)))).toEqual([
        ['not_paid'],
        ['cancelled'],
        ['returned'],
      ]);
    });
  });

  describe('links', () => {
    it('an order of a member without a link adds no evaluation job', async () => {
      await flow.syncAndSettle(shop, order(), order(), order());
      const before = await flow.queues.ever('reward-evaluation');
      await flow.syncAndSettle(shop, ...Array.from({ length: 50 }, () => order()));
      expect(await flow.queues.ever('reward-evaluation')).toBe(before);
      expect(await flow.database.dueBatch.count(inShop())).toBe(0);
    });

    it('an order that arrived before the link is evaluated when the link arrives', async () => {
      const early = order();
      await flow.syncAndSettle(shop, early);
      expect(await rewards()).toEqual([]);
      await flow.link(shop, 'ann', 'bob');
      await flow.queues.settled();
      expect(await rewards()).toEqual([
        ['referee', 'bob', 'confirmed', early.order_id],
        ['referrer', 'ann', 'confirmed', early.order_id],
      ]);
    });

    it('an order that arrives at the same time as the link is evaluated', async () => {
      const pairs = Array.from({ length: 15 }, (_, i) => `racer-${i}`);
      await Promise.all(
        pairs.flatMap((member) => [
          flow.link(shop, 'ann', member),
          flow.sync(shop, order({ member_id: member })),
        ]),
      );
      await waitFor(async () => (await rewards()).length === 30, { what: 'the rewards of both sides' });
    });

    it('a member cannot be linked to themselves', async () => {
      const { status, body } = await flow.link(shop, 'bob', 'bob');
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      const own = (await flow.boot(shop, { user_id: 'bob' })).body.data['referral_code'];
      const booted = await flow.boot(shop, { user_id: 'bob', referral_code: own });
      expect(booted.body.data).toMatchObject({ referrer_linked: false, link: 'own_code' });
      expect(await flow.database.referral.count(inShop())).toBe(0);
    });

    it('a link is never changed by an API call or a command', async () => {
      expect((await flow.link(shop, 'ann', 'bob')).status).toBe(201);
      expect((await flow.link(shop, 'ann', 'bob')).status).toBe(200);
      const moved = await flow.link(shop, 'eve', 'bob');
      expect([moved.status, moved.body.code]).toEqual([409, 'already_linked']);
      const eve = (await flow.boot(shop, { user_id: 'eve' })).body.data['referral_code'];
      await flow.boot(shop, { user_id: 'bob', referral_code: eve });
      await expect(
        flow.admin('member link', { merchant: shop.id, referrer: 'eve', referee: 'bob' }),
      ).rejects.toThrow('bob already has the referrer ann');
      const links = await flow.database.referral.findMany(inShop());
      expect(
        links.map(({ referrerMemberId, refereeMemberId }) => [referrerMemberId, refereeMemberId]),
      ).toEqual([['ann', 'bob']]);
    });

    it('one of many concurrent links is kept', async () => {
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => flow.link(shop, `referrer-${i}`, 'bob')),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
      expect(await flow.database.referral.count(inShop())).toBe(1);
    });

    it('a member who boots after their orders is not new', async () => {
      const code = (await flow.boot(shop, { user_id: 'ann' })).body.data['referral_code'];
      const fresh = await flow.boot(shop, { user_id: 'bob', referral_code: code });
      expect(fresh.body.data).toMatchObject({ referrer_linked: true, link: 'linked' });
      await flow.syncAndSettle(
        shop,
        order({ member_id: 'old-hand', order_date: '2024-01-01T00:00:00Z', paid_at: '2024-01-01T00:00:00Z' }),
      );
      const old = await flow.boot(shop, { user_id: 'old-hand', referral_code: code });
      expect(old.body.data).toMatchObject({ referrer_linked: false, link: 'not_new' });
      const wrong = await flow.boot(shop, { user_id: 'cat', referral_code: 'NOSUCH99' });
      expect(wrong.body.data).toMatchObject({ referrer_linked: false, link: 'unknown_code' });
      expect(await flow.database.referral.count(inShop())).toBe(2);
      expect(await flow.database.reward.count(inShop())).toBe(0);
    });

    it('a member has the same code at every boot, also at concurrent ones', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => flow.boot(shop, { user_id: 'ann' })),
      );
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(new Set(answers.map(({ body }) => body.data['referral_code'])).size).toBe(1);
    });

    it('boot accepts only the user_hash of the identity secret', async () => {
      const merchant = await flow.database.merchant.findUniqueOrThrow({ where: { id: shop.id } });
      const secret = flow.sealer.open(merchant.identitySecret, identitySecretContext(shop.id));
      const user_hash = createHmac('sha256', secret).update('민수').digest('hex');
      expect((await flow.boot(shop, { user_id: '민수', user_hash })).status).toBe(200);
      const forged = await flow.boot(shop, { user_id: 'mallory', user_hash });
      expect([forged.status, forged.body.params]).toEqual([400, { user_hash: 'does not belong to user_id' }]);
      expect(await flow.database.member.count({ where: { merchantId: shop.id, memberId: 'mallory' } })).toBe(
        0,
      );
    });

    it('boot requires a public key, and link requires a secret key', async () => {
      const boot = await flow.call('/api/open/members/boot', { user_id: 'x' }, { key: shop.secretKey });
      const link = await flow.call(
        '/api/open/members/link',
        { referrer_member_id: 'x', referee_member_id: 'y' },
        { key: shop.publicKey },
      );
      expect([boot.status, boot.body.code]).toEqual([401, 'public_key_required']);
      expect([link.status, link.body.code]).toEqual([401, 'secret_key_required']);
      expect(await flow.database.member.count(inShop())).toBe(0);
    });
  });

  describe('revoked', () => {
    it.each(['cancelled_at', 'returned_at'])('both rewards are revoked when %s arrives', async (field) => {
      await flow.link(shop, 'ann', 'bob');
      const paid = order();
      await flow.syncAndSettle(shop, paid);
      await flow.syncAndSettle(shop, { ...paid, [field]: cancelled });
      expect((await rewards()).map(([role, , state]) => [role, state])).toEqual([
        ['referee', 'revoked'],
        ['referrer', 'revoked'],
      ]);
    });

    it('only endpoints that registered reward.revoke are notified', async () => {
      const issues = await flow.receiver(shop, 'reward.issue');
      const revokes = await flow.receiver(shop, 'reward.revoke');
      await flow.link(shop, 'ann', 'bob');
      const paid = order();
      await flow.syncAndSettle(shop, paid);
      await flow.syncAndSettle(shop, { ...paid, cancelled_at: cancelled });
      expect(issues.received.map(({ event }) => event)).toEqual(['reward.issue', 'reward.issue']);
      expect(revokes.received.map(({ event }) => event)).toEqual(['reward.revoke', 'reward.revoke']);
      const idsOf = (list: typeof issues.received) =>
        list
          .map(
            ({ rawBody }) =>
              (JSON.parse(rawBody.toString()) as { data: { reward: { id: string } } }).data.reward.id,
          )
          .toSorted();
      expect(idsOf(revokes.received)).toEqual(idsOf(issues.received));
    });

    it('a re-paid order issues no reward again when no endpoint was notified of the revocation', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await flow.link(shop, 'ann', 'bob');
      const paid = order();
      await flow.syncAndSettle(shop, paid);
      await flow.syncAndSettle(shop, { ...paid, cancelled_at: cancelled });
      await flow.syncAndSettle(shop, paid);
      expect((await rewards()).filter(([, , state]) => state === 'confirmed')).toHaveLength(2);
      expect(hook.received).toHaveLength(2);
    });

    it('a re-paid order issues the reward again when an endpoint was notified of the revocation', async () => {
      const hook = await flow.receiver(shop, 'reward.issue,reward.revoke');
      await flow.link(shop, 'ann', 'bob');
      const paid = order();
      await flow.syncAndSettle(shop, paid);
      await flow.syncAndSettle(shop, { ...paid, cancelled_at: cancelled });
      await flow.syncAndSettle(shop, paid);
      const events = hook.received.map(({ event }) => event);
      expect([events.length, events.filter((event) => event === 'reward.issue').length]).toEqual([6, 4]);
    });

    it('the next paid order earns the reward when the first is cancelled', async () => {
      await flow.link(shop, 'ann', 'bob');
      const first = order({ order_date: hoursAgo(3) });
      const next = order({ order_date: hoursAgo(2) });
      await flow.syncAndSettle(shop, first, next);
      await flow.syncAndSettle(shop, { ...first, cancelled_at: cancelled });
      const live = (await rewards()).filter(([, , state]) => state === 'confirmed');
      expect(live.map(([role, , , orderId]) => [role, orderId])).toEqual([
        ['referee', next.order_id],
        ['referrer', next.order_id],
      ]);
    });

    it('the next paid order earns the reward when every product of the first was cancelled separately', async () => {
      await flow.link(shop, 'ann', 'bob');
      const items = [buildItem({ product_id: 'p1' }), buildItem({ product_id: 'p2' })];
      const first = order({ order_date: hoursAgo(3), items });
      const later = { order_date: hoursAgo(2) };
      const [before, after] = [
        order({ ...later, order_id: 'before' }),
        order({ ...later, order_id: 'after' }),
      ];
      await flow.syncAndSettle(shop, first, before);
      const without = (count: number) => ({
        ...first,
        items: items.map((item, index) => (index < count ? { ...item, cancelled_at: cancelled } : item)),
      });
      await flow.syncAndSettle(shop, without(1));
      expect((await rewards()).map(([, , state]) => state)).toEqual(['confirmed', 'confirmed']);
      await flow.syncAndSettle(shop, without(2));
      const live = async () => (await rewards()).filter(([, , state]) => state === 'confirmed');
      expect((await live()).map(([, , , orderId]) => orderId)).toEqual(['before', 'before']);
      await flow.syncAndSettle(shop, { ...before, items: without(2).items });
      expect(await live()).toEqual([]);
      await flow.syncAndSettle(shop, after);
      expect((await live()).map(([, , , orderId]) => orderId)).toEqual(['after', 'after']);
      expect(await reasonOf('after')).toEqual(['rewarded']);
    });

    it('the reward of an order that moves to a member without a link is revoked', async () => {
      await flow.link(shop, 'ann', 'bob');
      const paid = order();
      await flow.syncAndSettle(shop, paid);
      await flow.syncAndSettle(shop, { ...paid, member_id: 'somebody-else' });
      expect((await rewards()).map(([, , state]) => state)).toEqual(['revoked', 'revoked']);
    });

    it('no revocation of a live reward is delivered, in any order of changes', async () => {
      const hook = await flow.receiver(shop, 'reward.issue,reward.revoke');
      await flow.link(shop, 'ann', 'bob');
      const paid = order();
      const off = { ...paid, cancelled_at: cancelled };
      // Sent without waiting, so that the stages overlap in any way; the last one sent is "paid".
      for (let i = 0; i < 8; i += 1) await flow.sync(shop, i % 2 === 0 ? paid : off);
      await flow.sync(shop, paid);
      await flow.queues.settled();
      await waitFor(async () => (await flow.database.dueBatch.count(inShop())) === 0);
      const states = (await rewards()).map(([role, , state]) => [role, state]);
      expect(states.filter(([, state]) => state === 'confirmed').map(([role]) => role)).toEqual([
        'referee',
        'referrer',
      ]);
      const notified = (type: string) => hook.received.filter(({ event }) => event === type).length;
      expect(notified('reward.issue') - notified('reward.revoke')).toBe(2);
    });
  });
});

describe('Evaluation', () => {
  const dayMs = 86_400_000;
  const daysAgo = (days: number) => new Date(Date.now() - days * dayMs).toISOString();

  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

  const publish = (rule: FlatTerms) => publishProgram(flow.database, merchant.id, parseTerms(rule));
  const rewards = (role?: string) =>
    flow.database.reward.findMany({ where: { merchantId: merchant.id, ...(role ? { role } : {}) } });
  const states = async () => (await rewards()).map(({ role, state }) => `${role} ${state}`).sort();
  const events = async () =>
    (await flow.database.event.findMany({ where: { merchantId: merchant.id } }))
      .map(({ type }) => type)
      .sort();

  /** Sends one order of each of `count` members of the same referrer, at the same time. */
  async function orderOfEach(count: number): Promise<void> {
    const members = Array.from({ length: count }, (_, index) => `friend-${index}`);
    await Promise.all(members.map((member) => flow.link(merchant, 'ann', member)));
    await Promise.all(members.map((member_id) => flow.sync(merchant, buildOrder({ member_id }))));
    await flow.queues.settled();
  }

  it('gives a referrer 10 rewards for 40 concurrent orders when the cap is 10, and every referee theirs', async () => {
    await publish({ referrerCap: { total: 10, month: null } });
    await orderOfEach(40);
    expect(await rewards('referrer')).toHaveLength(10);
    expect(await rewards('referee')).toHaveLength(40);
  });

  it('applies a monthly cap by the month of payment in the time zone of the merchant', async () => {
    await publish({ trigger: 'every_order', referee: null, referrerCap: { total: null, month: 1 } });
    await flow.link(merchant, 'ann', 'bob');
    const paidAt = (paid_at: string) => buildOrder({ member_id: 'bob', paid_at });
    await flow.syncAndSettle(merchant, paidAt('2026-03-31T14:59:00Z'), paidAt('2026-03-31T15:01:00Z'));
    expect((await rewards()).map(({ month }) => month).sort()).toEqual(['2026-03', '2026-04']);
    await flow.syncAndSettle(merchant, paidAt('2026-04-02T00:00:00Z'));
    expect(await rewards()).toHaveLength(2);
  });

  it('never exceeds the budget, and reuses the amount of cancelled rewards', async () => {
    await publish({ budget: 30_000, referrer: null });
    await orderOfEach(40);
    expect(await rewards()).toHaveLength(10);
    const [given] = await rewards();
    const cancelled = buildOrder({
      member_id: given?.memberId as string,
      order_id: given?.orderId as string,
      cancelled_at: '2026-11-20T00:00:00Z',
    });
    await flow.syncAndSettle(merchant, cancelled);
    await flow.link(merchant, 'ann', 'late-friend');
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'late-friend' }));
    const live = (await rewards()).filter(({ state }) => state === 'confirmed');
    expect(live).toHaveLength(10);
    expect(live.map(({ memberId }) => memberId)).toContain('late-friend');
  });

  it('holds a reward without a notification, and confirms it when the hold ends', async () => {
    await publish({ holdDays: 2 / 86_400 });
    const hook = await flow.receiver(merchant, 'reward.issue');
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(merchant, buildOrder({ member_id: 'bob', paid_at: new Date().toISOString() }));
    expect(await states()).toEqual(['referee pending', 'referrer pending']);
    expect(await events()).toEqual([]);
    const [pending] = await rewards();
    await hook.waitFor(({ event }) => event === 'reward.issue', 10_000);
    const [confirmed] = await rewards();
    const lateMs = Number(confirmed?.confirmedAt) - Number(pending?.confirmDueAt);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    await waitFor(() => hook.received.length === 2, { deadlineMs: 10_000 });
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
  });

  it('counts the hold from the payment: a reward of an older payment is confirmed at once', async () => {
    await publish({ holdDays: 7, earlierOrders: 'count' });
    await flow.link(merchant, 'ann', 'bob');
    await flow.syncAndSettle(
      merchant,
      buildOrder({ member_id: 'bob', order_date: daysAgo(8), paid_at: daysAgo(8) }),
    );
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    expect(await events()).toEqual(['reward.issue', 'reward.issue']);
  });

  it('counts the hold from the order when the payment is dated before it', async () => {
    await publish({ holdDays: 7 });
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_date: daysAgo(1), paid_at: '1980-01-01T00:00:00Z' });
    await flow.syncAndSettle(merchant, order);
    expect(await states()).toEqual(['referee pending', 'referrer pending']);
    const ends = (await rewards()).map(({ confirmDueAt }) => Number(confirmDueAt));
    expect(ends).toEqual([order, order].map(({ order_date }) => Date.parse(order_date) + 7 * dayMs));
  });

  it('moves the end of a hold with the payment until the reward is confirmed, and nothing after that', async () => {
    await publish({ holdDays: 7, earlierOrders: 'count' });
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', order_date: daysAgo(20), paid_at: daysAgo(1) });
    const ends = async () =>
      (await rewards()).map(({ confirmDueAt }) => Number(confirmDueAt) - 7 * dayMs).sort((a, b) => a - b);
    await flow.syncAndSettle(merchant, order);
    expect(await ends()).toEqual([order.paid_at, order.paid_at].map((at) => Date.parse(String(at))));
    const corrected = { ...order, paid_at: daysAgo(3) };
    await flow.syncAndSettle(merchant, corrected);
    expect(await states()).toEqual(['referee pending', 'referrer pending']);
    expect(await ends()).toEqual([corrected.paid_at, corrected.paid_at].map((at) => Date.parse(at)));
    await flow.syncAndSettle(merchant, { ...order, paid_at: daysAgo(9) });
    const confirmed = await rewards();
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    await flow.syncAndSettle(merchant, { ...order, paid_at: daysAgo(0) });
    expect(await rewards()).toEqual(confirmed);
  });

  it('cancels a held reward without a notification when the order is cancelled, and gives a new one when the cancellation is undone', async () => {
    await publish({ holdDays: 7 });
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob' });
    await flow.syncAndSettle(merchant, order);
    await flow.syncAndSettle(merchant, { ...order, cancelled_at: '2026-11-20T00:00:00Z' });
    expect(await states()).toEqual(['referee cancelled', 'referrer cancelled']);
    await flow.syncAndSettle(merchant, order);
    expect(await states()).toEqual([
      'referee cancelled',
      'referee pending',
      'referrer cancelled',
      'referrer pending',
    ]);
    expect(await events()).toEqual([]);
  });

  it('revokes a reward when cancelled products bring the amount paid below the minimum', async () => {
    await publish({ minimumPaidAmount: 15_000 });
    await flow.link(merchant, 'ann', 'bob');
    const item = (product_id: string, cancelled_at: string | null) => ({
      product_id,
      product_name: product_id,
      quantity: 1,
      price: 10_000,
      paid_amount: 10_000,
      cancelled_at,
    });
    const order = (...items: unknown[]) => ({
      ...buildOrder({ member_id: 'bob', order_id: 'o', paid_amount: 20_000, shipping_amount: 0 }),
      items,
    });
    await flow.syncAndSettle(merchant, order(item('a', null), item('b', null)));
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    await flow.syncAndSettle(merchant, order(item('a', '2026-11-20T00:00:00Z'), item('b', null)));
    expect(await states()).toEqual(['referee revoked', 'referrer revoked']);
    expect(await events()).toEqual(['reward.issue', 'reward.issue', 'reward.revoke', 'reward.revoke']);
  });

  it('keeps existing rewards when a stricter version is published', async () => {
    await flow.link(merchant, 'ann', 'bob');
    const order = buildOrder({ member_id: 'bob', paid_amount: 20_000 });
    await flow.syncAndSettle(merchant, order);
    await publish({ minimumPaidAmount: 1_000_000 });
    await flow.syncAndSettle(merchant, order);
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
  });
});
