import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishProgram } from '@rewardhook/database';
import { defaultTerms, parseTerms } from '@rewardhook/rewards';
import type { FlatTerms } from '@rewardhook/rewards';
import { buildOrder, buildItem, projectRoot, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../packages/database/src/fixtures/wait-for-locks.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('Refunds', () => {
  type Order = ReturnType<typeof buildOrder>;
  type Received = { type: string; data: { reward: { id: string; amount: number }; reason?: string } };

  const tenPercent = {
    type: 'points' as const,
    unit: 'points',
    amount: { kind: 'percent' as const, rate: 10, cap: null },
  };
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.link(merchant, 'ann', 'bob');
  });

  const publish = (rule: FlatTerms) =>
    publishProgram(flow.database, merchant.id, parseTerms({ referee: tenPercent, referrer: null, ...rule }));
  const paid = (paid_amount: number, changes: Partial<Order> = {}) =>
    buildOrder({
      order_id: 'order',
      member_id: 'bob',
      paid_amount,
      shipping_amount: 0,
      items: [],
      ...changes,
    });
  const send = (...orders: Order[]) => flow.syncAndSettle(merchant, ...orders);
  const eventsOf = (hook: Awaited<ReturnType<Flow['receiver']>>) =>
    hook.received
      .map(({ rawBody }) => JSON.parse(rawBody.toString()) as Received)
      .map(({ type, data: { reward, reason } }) => [type, reward.amount, ...(reason ? [reason] : [])]);
  const live = async () =>
    (await flow.database.reward.findMany({ where: { merchantId: merchant.id } }))
      .filter(({ state }) => state === 'pending' || state === 'confirmed')
      .map(({ state, role, amount, month }) => ({ state, role, amount: Number(amount), month }));
  const spent = async () =>
    Number((await flow.database.program.findUniqueOrThrow({ where: { merchantId: merchant.id } })).spent);
  const explain = async () =>
    (
      await flow.call('/api/open/orders/order/explain/', undefined, {
        method: 'GET',
        key: merchant.secretKey,
      })
    ).body.data as {
      decision: {
        outcome: string;
        reason: string;
        checks: { check: string; value: unknown; threshold: unknown }[];
      };
    };

  describe('The amount of a pending reward', () => {
    it('follows its order both ways, with the month of its payment, and is issued as it is when its hold ends', async () => {
      // The order is from before the link.
      await publish({ holdDays: 30, earlierOrders: 'count' });
      const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      const paidAt = new Date(Date.now() - 20 * 86_400_000).toISOString();
      await send(paid(1_000_000, { paid_at: new Date().toISOString() }));
      await send(paid(1_000, { paid_at: paidAt }));
      expect(await live()).toEqual([expect.objectContaining({ state: 'pending', amount: 100 })]);
      expect(await spent()).toBe(100);
      const longAgo = new Date(Date.now() - 40 * 86_400_000).toISOString();
      await send(paid(2_000, { order_date: longAgo, paid_at: longAgo }));
      await hook.waitFor(() => hook.received.length === 1, 10_000);
      expect(eventsOf(hook)).toEqual([['reward.issue', 200]]);
      expect(await spent()).toBe(200);
    });

    it('is cancelled at 0, and given again when it rises', async () => {
      await publish({ holdDays: 30, minimumPaidAmount: 0 });
      const now = { paid_at: new Date().toISOString() };
      await send(paid(10_000, now));
      await send(paid(9, now));
      expect(await live()).toEqual([]);
      expect((await explain()).decision.reason).toBe('nothing_to_give');
      await send(paid(500, now));
      expect(await live()).toEqual([expect.objectContaining({ amount: 50 })]);
    });

    it('does not rise beyond the budget', async () => {
      await publish({ holdDays: 30, budget: 150 });
      const now = { paid_at: new Date().toISOString() };
      await send(paid(1_000, now));
      await send(paid(2_000, now));
      expect(await live()).toEqual([expect.objectContaining({ amount: 100 })]);
      expect((await explain()).decision.checks).toContainEqual({
        check: 'budget',
        value: 200,
        threshold: 150,
        passed: false,
      });
    });
  });

  describe('The amount of a confirmed reward', () => {
    it('is adjusted by a revocation and a new reward, which keep the place of the first', async () => {
      await publish({});
      const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await send(paid(10_000));
      await hook.waitFor(() => hook.received.length === 1, 10_000);
      await send(paid(4_000));
      await hook.waitFor(() => hook.received.length === 3, 10_000);
      expect(eventsOf(hook).sort((one, other) => String(one[0]).localeCompare(String(other[0])))).toEqual([
        ['reward.issue', 1_000],
        ['reward.issue', 400],
        ['reward.revoke', 1_000, 'amount_changed'],
      ]);
      expect((await explain()).decision).toMatchObject({ outcome: 'adjusted', reason: 'rewarded' });
      await send(paid(6_000));
      await hook.waitFor(() => hook.received.length === 5, 10_000);
      expect(await live()).toEqual([expect.objectContaining({ state: 'confirmed', amount: 600 })]);
      expect(await spent()).toBe(600);
      await send(paid(6_000, { cancelled_at: '2026-11-21T10:00:00Z' }));
      await hook.waitFor(() => hook.received.length === 6, 10_000);
      expect([await live(), await spent()]).toEqual([[], 0]);
    });

    it('stands under keep, until it comes to nothing', async () => {
      await publish({ refunds: 'keep', minimumPaidAmount: 0 });
      await send(paid(10_000));
      await send(paid(4_000));
      expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
      await send(paid(9));
      expect(await live()).toEqual([]);
    });

    it('The amount of a coupon stands when its order changes', async () => {
      await publish({ referee: { ...tenPercent, type: 'coupon', unit: 'won' } });
      await send(paid(10_000));
      await send(paid(4_000));
      expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
    });

    it('stands when a webhook would not hear of the revocation, and says which', async () => {
      await publish({});
      await flow.receiver(merchant, 'reward.issue,reward.revoke');
      const deaf = await flow.receiver(merchant, 'reward.issue');
      await send(paid(10_000));
      await deaf.waitFor(() => deaf.received.length === 1, 10_000);
      await send(paid(4_000));
      expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
      const { decision } = await explain();
      expect(decision.outcome).toBe('kept');
      expect(decision.checks).toContainEqual({
        check: 'amount_kept',
        value: 400,
        threshold: 1_000,
        passed: false,
      });
      const endpoints = await flow.database.endpoint.findMany({ where: { merchantId: merchant.id } });
      const holder = endpoints.find(({ eventTypes }) => eventTypes.length === 1);
      expect(decision.checks).toContainEqual(
        expect.objectContaining({ check: 'revocation_notified', value: holder?.id }),
      );
    });

    it('stands when a webhook stops hearing of revocations while the order is evaluated', async () => {
      await publish({});
      const hook = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await send(paid(10_000));
      await hook.waitFor(() => hook.received.length === 1, 10_000);
      await flow.database.$transaction(async (tx) => {
        // The evaluation has read who would hear of it, and waits to store its decision.
        await tx.$executeRaw`LOCK TABLE decisions IN SHARE MODE`;
        await flow.sync(merchant, paid(4_000));
        await waitForLocks(flow.database, 1, 'INSERT INTO decisions');
        await flow.database.endpoint.updateMany({
          where: { merchantId: merchant.id },
          data: { eventTypes: ['reward.issue'] },
        });
      });
      await flow.queues.settled();
      expect(await live()).toEqual([expect.objectContaining({ amount: 1_000 })]);
      expect(eventsOf(hook)).toEqual([['reward.issue', 1_000]]);
    });
  });

  describe('A reward that is earned again', () => {
    it('is not sent to anybody while one webhook heard of the first and not of its revocation', async () => {
      const both = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      const deaf = await flow.receiver(merchant, 'reward.issue');
      await send(paid(10_000));
      await both.waitFor(() => both.received.length === 2, 10_000);
      await deaf.waitFor(() => deaf.received.length === 2, 10_000);
      await send(paid(10_000, { cancelled_at: '2026-11-21T10:00:00Z' }));
      await both.waitFor(() => both.received.length === 4, 10_000);
      await send(paid(10_000));
      await flow.queues.settled();
      expect([both.received.length, deaf.received.length]).toEqual([4, 2]);
      const rewards = await flow.database.reward.findMany({
        where: { merchantId: merchant.id, state: 'confirmed' },
      });
      expect(rewards.map(({ blockedByOpenRevocation }) => blockedByOpenRevocation)).toEqual([true, true]);
      expect((await explain()).decision.checks).toContainEqual(
        expect.objectContaining({ check: 'revocation_notified', passed: false }),
      );
    });

    it('is revoked only where it was issued', async () => {
      const first = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await send(paid(10_000));
      await first.waitFor(() => first.received.length === 2, 10_000);
      const later = await flow.receiver(merchant, 'reward.issue,reward.revoke');
      await send(paid(10_000, { cancelled_at: '2026-11-21T10:00:00Z' }));
      await first.waitFor(() => first.received.length === 4, 10_000);
      await flow.queues.settled();
      expect(later.received).toHaveLength(0);
    });

    it('grants the referrer once, when the order moves to another referee and no webhook hears of revocations', async () => {
      await flow.link(merchant, 'ann', 'carl');
      const deaf = await flow.receiver(merchant, 'reward.issue');
      await send(paid(10_000));
      await deaf.waitFor(() => deaf.received.length === 2, 10_000);
      await send(paid(10_000, { member_id: 'carl' }));
      await flow.queues.settled();
      expect(deaf.received).toHaveLength(2);
    });
  });
});

describe('What to send when: a row of docs/what-to-send.md is', () => {
  type Order = ReturnType<typeof buildOrder>;
  type State = 'pending' | 'confirmed' | 'revoked';

  /** What happened in the shop, as the first column of docs/what-to-send.md says it. */
  const situations = [
    ...readFileSync(join(projectRoot, 'docs/what-to-send.md'), 'utf8').matchAll(/^\| ([A-Z].*?) *\|/gm),
  ].map(([, situation]) => situation);
  const tested: string[] = [];

  const time = '2026-11-21T10:00:00+09:00';
  const items = [
    buildItem({ product_id: 'mug', quantity: 3, price: 10_000, paid_amount: 30_000 }),
    buildItem({ product_id: 'tea', quantity: 1, price: 20_000, paid_amount: 20_000 }),
  ];
  const paid = (changes: Partial<Order> = {}) =>
    buildOrder({
      order_id: 'order',
      member_id: 'bob',
      order_amount: 50_000,
      paid_amount: 53_000,
      shipping_amount: 3_000,
      items,
      ...changes,
    });

  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.link(merchant, 'ann', 'bob');
  });
  afterAll(async () => {
    expect(tested).toEqual(situations);
  });

  const row = (situation: string, run: () => Promise<void>) => {
    tested.push(situation);
    it(situation, run);
  };
  /** The reason of the decision about the order, and the states of the rewards of its referee. */
  const outcome = async (orderId = 'order'): Promise<[string, State[]]> => {
    const read = async (path: string) =>
      (await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey })).body.data;
    const { decision } = (await read(`/api/open/orders/${orderId}/explain/`)) as {
      decision: { reason: string };
    };
    const { rewards } = (await read(`/api/open/rewards/?order_id=${orderId}`)) as {
      rewards: { role: string; state: State }[];
    };
    return [
      decision.reason,
      rewards
        .filter(({ role }) => role === 'referee')
        .map(({ state }) => state)
        .toReversed(),
    ];
  };
  const send = (...orders: Order[]) => flow.syncAndSettle(merchant, ...orders);
  const sendPaidThen = async (changes: Partial<Order>) => {
    await send(paid());
    await send(paid(changes));
  };

  row('An order is placed, not paid yet', async () => {
    await send(paid({ paid_at: null }));
    expect(await outcome()).toEqual(['not_paid', []]);
  });
  row('It is paid', async () => {
    await send(paid({ paid_at: null }));
    await send(paid());
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('It is paid on delivery', async () => {
    await send(paid({ paid_at: null }));
    expect(await outcome()).toEqual(['not_paid', []]);
    await send(paid({ paid_at: time }));
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('It is edited after the payment', async () => {
    await sendPaidThen({ order_amount: 20_000, paid_amount: 23_000, items: items.slice(1) });
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('A part of the money is refunded', async () => {
    await sendPaidThen({ paid_amount: 40_000 });
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('Some products are returned', async () => {
    const [mug, tea] = items as [(typeof items)[0], (typeof items)[0]];
    await sendPaidThen({ items: [{ ...mug, cancelled_at: time }, tea] });
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('A product is exchanged', async () => {
    const [mug, tea] = items as [(typeof items)[0], (typeof items)[0]];
    const coffee = buildItem({ product_id: 'coffee', quantity: 1, price: 15_000, paid_amount: 15_000 });
    await sendPaidThen({ order_amount: 45_000, paid_amount: 48_000, items: [mug, coffee] });
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
    await send(paid({ items: [mug, tea] }));
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('A part of a quantity is refunded', async () => {
    const [mug, tea] = items as [(typeof items)[0], (typeof items)[0]];
    await sendPaidThen({ paid_amount: 33_000, items: [{ ...mug, quantity: 1, paid_amount: 10_000 }, tea] });
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('Everything is refunded, or cancelled', async () => {
    await sendPaidThen({ cancelled_at: time });
    expect(await outcome()).toEqual(['cancelled', ['revoked']]);
  });
  row('The order is returned', async () => {
    await sendPaidThen({ returned_at: time });
    expect(await outcome()).toEqual(['returned', ['revoked']]);
  });
  row('It is re-opened', async () => {
    await sendPaidThen({ cancelled_at: time });
    await send(paid());
    expect(await outcome()).toEqual(['rewarded', ['revoked', 'confirmed']]);
  });
  row('It is split into several ids', async () => {
    await send(paid());
    const [mug, tea] = items as [(typeof items)[0], (typeof items)[0]];
    const now = new Date().toISOString();
    await send(
      paid({ cancelled_at: time }),
      paid({ order_id: 'part-1', order_date: now, order_amount: 30_000, paid_amount: 33_000, items: [mug] }),
      paid({
        order_id: 'part-2',
        order_date: now,
        order_amount: 20_000,
        paid_amount: 20_000,
        shipping_amount: 0,
        items: [tea],
      }),
    );
    expect(await outcome()).toEqual(['cancelled', ['revoked']]);
    const parts = [await outcome('part-1'), await outcome('part-2')];
    expect(parts).toContainEqual(['rewarded', ['confirmed']]);
    expect(parts).toContainEqual(['already_rewarded', []]);
  });
  row('A guest orders', async () => {
    await send(paid({ member_id: 'guest-1001' }));
    expect(await outcome()).toEqual(['member_not_linked', []]);
    // One id for all guests is linked to nobody, so that the referrer of the first one does not earn for all.
    const { referral_code } = (await flow.boot(merchant, { user_id: 'ann' })).body.data;
    for (const id of ['guest', 'undefined', '비회원']) {
      const booted = await flow.boot(merchant, { user_id: id, referral_code });
      expect([booted.status, Object.keys(booted.body.params ?? {})]).toEqual([400, ['user_id']]);
      expect((await flow.link(merchant, 'ann', id)).status).toBe(400);
      await send(paid({ order_id: id, member_id: id }));
      expect(await outcome(encodeURIComponent(id))).toEqual(['member_not_linked', []]);
    }
  });
  row('The order belonged to another member', async () => {
    await flow.link(merchant, 'ann', 'eve');
    await sendPaidThen({ member_id: 'eve' });
    expect(await outcome()).toEqual(['rewarded', ['revoked', 'confirmed']]);
  });
  row('Two accounts of a customer are merged', async () => {
    await send(paid());
    const body = { from_member_id: 'bob', into_member_id: 'bob-new', reason: 'Two accounts' };
    const headers = { 'idempotency-key': 'merge' };
    await flow.call('/api/open/members/merge/', body, { key: merchant.secretKey, headers });
    await flow.queues.settled();
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
    await send(paid({ order_id: 'later' }));
    expect(await outcome('later')).toEqual(['not_first_order', []]);
  });
  row('You import the orders of the last years', async () => {
    await send(paid({ order_id: 'old', member_id: 'old', order_date: '2024-01-01T00:00:00Z' }));
    const { body } = await flow.boot(merchant, { user_id: 'ann' });
    const booted = await flow.boot(merchant, { user_id: 'old', referral_code: body.data['referral_code'] });
    expect(booted.body.data['link']).toBe('not_new');
    await flow.queues.settled();
    expect(await outcome('old')).toEqual(['not_new', []]);
  });
  row('Points or a coupon pay a part', async () => {
    await send(paid({ order_amount: 50_000, paid_amount: 3_000 }));
    // Nothing was paid but shipping.
    expect((await outcome())[1]).toEqual([]);
  });
  row('The price contains tax (VAT)', async () => {
    await send(paid({ paid_amount: 55_000 }));
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
  });
  row('The order is in another currency', async () => {
    await send(paid({ currency: 'USD' } as Partial<Order>));
    expect(await outcome()).toEqual(['unsupported_currency', []]);
  });
  row('The currency is not a code of ISO 4217, such as `RMB` or `US$`', async () => {
    const earning = ['₩', '￦', '원', 'WON', ' krw\n', '410', 410, 'ＫＲＷ', '', ' '];
    const foreign = ['usd ', 'ＵＳＤ', 'RMB', 'US$', '840', 840, 'KRW1', '엔', 'x'.repeat(21), '\u200bKRW'];
    const odd = ['\0', true, {}, ['KRW']];
    const given = [...earning, ...foreign, ...odd];
    for (const [index] of given.entries()) await flow.link(merchant, 'ann', `bob-${index}`);
    await send(
      ...given.map((currency, index) =>
        paid({ order_id: `order-${index}`, member_id: `bob-${index}`, currency } as Partial<Order>),
      ),
    );
    const found: unknown[] = [];
    for (const [index, currency] of given.entries())
      found.push([currency, ...(await outcome(`order-${index}`))]);
    expect(found).toEqual([
      ...earning.map((currency) => [currency, 'rewarded', ['confirmed']]),
      ...[...foreign, ...odd].map((currency) => [currency, 'unsupported_currency', []]),
    ]);
  });
  row('Wholesale, a sale, a gift card, a subscription', async () => {
    const [rule] = defaultTerms.rules;
    const excluding = { ...rule, orderLabels: { none: ['wholesale'] } };
    await publishProgram(flow.database, merchant.id, parseTerms({ rules: [excluding] }));
    await send(paid({ labels: [' Wholesale'] }));
    expect(await outcome()).toEqual(['label_excluded', []]);
    await send(paid());
    expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
    await send(paid({ labels: ['wholesale'] }));
    expect(await outcome()).toEqual(['label_excluded', ['revoked']]);
  });
  row('An empty date is written as 1970-01-01, 1900-01-01 or the year 9999', async () => {
    const empty = [
      '1970-01-01T00:00:00+00:00',
      '1970-01-01T09:00:00+09:00',
      '1900-01-01T00:00:00',
      '9999-12-31T23:59:59Z',
    ];
    for (const paid_at of empty) {
      await send(paid({ paid_at }));
      expect(await outcome()).toEqual(['not_paid', []]);
    }
    for (const date of empty) {
      const products = items.map((item) => ({ ...item, cancelled_at: date }));
      await send(paid({ cancelled_at: date, returned_at: date, items: products }));
      expect(await outcome()).toEqual(['rewarded', ['confirmed']]);
    }
  });
  row('A payment is dated before its order', async () => {
    await publishProgram(flow.database, merchant.id, parseTerms({ holdDays: 14 }));
    await send(paid({ order_date: new Date().toISOString(), paid_at: '1980-01-01T00:00:00Z' }));
    expect(await outcome()).toEqual(['hold', ['pending']]);
  });
  row('Times are stored in UTC, without an offset', async () => {
    const now = new Date().toISOString();
    await sendPaidThen({ cancelled_at: now, updated_at: now.replace('Z', '') });
    expect(await outcome()).toEqual(['cancelled', ['revoked']]);
  });
});

describe('A referral that needs review', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
  });

  const publish = (rule: FlatTerms) => publishProgram(flow.database, merchant.id, parseTerms(rule));
  const states = async () => {
    const rewards = await flow.database.reward.findMany({ where: { merchantId: merchant.id } });
    return rewards.map(({ role, state }) => `${role} ${state}`).toSorted();
  };
  const events = async () =>
    (await flow.database.event.findMany({ where: { merchantId: merchant.id } })).map(({ type }) => type);
  const explain = async (orderId: string) => {
    const path = `/api/open/orders/${orderId}/explain/`;
    const answer = await flow.call(path, undefined, { key: merchant.secretKey, method: 'GET' });
    return answer.body.data as {
      referral: { review: string };
      decision: { reason: string };
      counterfactual: string | null;
      timeline: Record<string, unknown>[];
    };
  };
  /** A boot call without a hash and without a click, and a paid order. */
  async function linkUnverifiedBob(): Promise<string> {
    const referral_code = (await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code'];
    await flow.boot(merchant, { user_id: 'bob', user_hash: undefined, referral_code });
    const { referrals } = (await flow.admin('referral list', {
      merchant: merchant.id,
      'needs-review': 'true',
    })) as { referrals: { id: string; flags: string[]; review: string }[] };
    expect(referrals).toMatchObject([{ flags: ['no_click', 'foreign_origin'], review: 'pending' }]);
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'first', member_id: 'bob' }));
    return referrals[0]?.id ?? '';
  }
  const decide = async (decision: 'accept' | 'reject', referral: string) => {
    await flow.admin(`referral ${decision}`, { merchant: merchant.id, referral });
    await flow.queues.settled();
  };

  it('earns pending rewards, which are confirmed and issued when it is accepted', async () => {
    const referral = await linkUnverifiedBob();
    expect([await states(), await events()]).toEqual([['referee pending', 'referrer pending'], []]);
    expect(await explain('first')).toMatchObject({
      referral: { review: 'pending' },
      decision: { reason: 'under_review' },
    });
    await decide('accept', referral);
    expect(await states()).toEqual(['referee confirmed', 'referrer confirmed']);
    expect(await events()).toEqual(['reward.issue', 'reward.issue']);
    const { timeline, decision } = await explain('first');
    expect(decision.reason).toBe('rewarded');
    expect(timeline.find(({ what }) => what === 'referral_accepted')).toMatchObject({ by: 'operator' });
    const again = flow.admin('referral reject', { merchant: merchant.id, referral });
    await expect(again).rejects.toThrow('was already accepted by operator');
  });

  it('loses its pending rewards when it is rejected, and later orders earn none', async () => {
    const referral = await linkUnverifiedBob();
    await decide('reject', referral);
    expect(await states()).toEqual(['referee cancelled', 'referrer cancelled']);
    await flow.syncAndSettle(
      merchant,
      buildOrder({ order_id: 'second', member_id: 'bob', first_order: true }),
    );
    expect(await explain('second')).toMatchObject({
      decision: { reason: 'referral_rejected' },
      counterfactual: expect.stringContaining('if the referral had not been rejected'),
    });
    expect([await states(), await events()]).toEqual([['referee cancelled', 'referrer cancelled'], []]);
  });

  it('keeps the hold of its rewards after it is accepted, and stays under review after the hold', async () => {
    await publish({ holdDays: 30 });
    const referral = await linkUnverifiedBob();
    const endHolds = () =>
      flow.database.reward.updateMany({
        where: { merchantId: merchant.id },
        data: { holdDays: 0, confirmDueAt: new Date(Date.now() - 1_000), holdEnqueued: false },
      });
    await decide('accept', referral);
    expect([await states(), (await explain('first')).decision.reason]).toEqual([
      ['referee pending', 'referrer pending'],
      'hold',
    ]);
    await endHolds();
    await waitFor(async () => (await events()).length === 2, { what: 'the end of the hold' });

    merchant = await flow.openMerchant();
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
    await publish({ holdDays: 30 });
    const other = await linkUnverifiedBob();
    await endHolds();
    // By then the sweeper has run since the other hold ended.
    const signal = await flow.openMerchant();
    await publishProgram(flow.database, signal.id, parseTerms({ holdDays: 2 / 86_400 }));
    await flow.link(signal, 'x', 'y');
    await flow.syncAndSettle(signal, buildOrder({ member_id: 'y', paid_at: new Date().toISOString() }));
    const issued = () => flow.database.event.count({ where: { merchantId: signal.id } });
    await waitFor(async () => (await issued()) === 2, { what: 'the end of a later hold' });
    expect([await events(), await flow.database.dueBatch.count()]).toEqual([[], 0]);
    await decide('accept', other);
    expect(await events()).toEqual(['reward.issue', 'reward.issue']);
  });

  it('counts against caps and budget during the review', async () => {
    await publish({ budget: 6_000 });
    const referral = await linkUnverifiedBob();
    await flow.link(merchant, 'ann', 'carl');
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'of-carl', member_id: 'carl' }));
    expect((await explain('of-carl')).decision.reason).toBe('budget_exhausted');
    await decide('reject', referral);
    await flow.syncAndSettle(merchant, buildOrder({ order_id: 'of-carl', member_id: 'carl' }));
    expect((await explain('of-carl')).decision.reason).toBe('rewarded');
  });

  it('is accepted or rejected only once by concurrent reviews', async () => {
    const referral = await linkUnverifiedBob();
    const orders = Array.from({ length: 10 }, (_, index) =>
      buildOrder({ order_id: `o${index}`, member_id: 'bob' }),
    );
    const deciding = ['accept', 'reject', 'accept', 'reject'].map((decision) =>
      flow.admin(`referral ${decision}`, { merchant: merchant.id, referral }).then(
        () => decision,
        () => undefined,
      ),
    );
    await Promise.all(orders.map((order) => flow.sync(merchant, order)));
    const decided = (await Promise.all(deciding)).filter((decision) => decision !== undefined);
    expect(decided).toHaveLength(1);
    await flow.queues.settled();
    const accepted = decided[0] === 'accept';
    expect(await states()).toEqual(
      accepted ? ['referee confirmed', 'referrer confirmed'] : ['referee cancelled', 'referrer cancelled'],
    );
    expect(await events()).toEqual(accepted ? ['reward.issue', 'reward.issue'] : []);
  });
});
