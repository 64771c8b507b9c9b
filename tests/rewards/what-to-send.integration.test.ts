import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { buildItem, buildOrder, projectRoot } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

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

describe('What to send when: a row of docs/what-to-send.md is', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.receiver(merchant, 'reward.issue,reward.revoke');
    await flow.link(merchant, 'ann', 'bob');
  });
  afterAll(async () => {
    await flow.close();
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
    await send(
      paid({ cancelled_at: time }),
      paid({ order_id: 'part-1', order_amount: 30_000, paid_amount: 33_000, items: [mug] }),
      paid({
        order_id: 'part-2',
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
    await publishProgram(flow.database, merchant.id, { ...defaultRule, holdDays: 14 });
    await send(paid({ order_date: new Date().toISOString(), paid_at: '1980-01-01T00:00:00Z' }));
    expect(await outcome()).toEqual(['hold', ['pending']]);
  });
  row('Times are stored in UTC, without an offset', async () => {
    const now = new Date().toISOString();
    await sendPaidThen({ cancelled_at: now, updated_at: now.replace('Z', '') });
    expect(await outcome()).toEqual(['cancelled', ['revoked']]);
  });
});
