import { createHmac } from 'node:crypto';
import { identitySecretContext } from '@rewardhook/database';
import { buildItem, buildOrder, hoursAgo, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const cancelled = '2026-03-02T10:00:00+09:00';

describe('Members, referrals and rewards', () => {
  let flow: Flow;
  let shop: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    shop = await flow.openMerchant();
  });
  afterAll(() => flow.close());

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
