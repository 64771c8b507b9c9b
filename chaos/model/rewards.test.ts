import type { Entry, SentOrder } from '../ledger/entries.ts';
import { rewardDue } from '../checks/rewards.ts';
import { historyOf } from '../ledger/read-history.ts';
import type { History } from '../ledger/read-history.ts';
import { makeOrder } from '../shop/make-order.ts';
import { expectedRewards } from './rewards.ts';

const start = Date.parse('2026-11-20T00:00:00Z');
const hour = 3_600_000;
const at = (hours: number) => new Date(start + hours * hour).toISOString();

/** What happened at a shop with one rule, one member who was linked at hour 0, and their orders. */
function happened(rule: Record<string, unknown>, orders: SentOrder[], more: Entry[] = []): History {
  const entries: Entry[] = [
    { kind: 'run', at: start, seed: 1, minutes: 0, commit: '', scenarios: null, cores: 1 },
    {
      kind: 'shop',
      at: start,
      shop: 'shop',
      scenario: 'rules',
      merchantId: 'mer_1',
      timeZone: 'Asia/Seoul',
      signingSecret: '',
    },
    { kind: 'rule', at: start - hour, until: start - hour, shop: 'shop', version: 1, rule },
    {
      kind: 'sent',
      at: start - 1,
      id: 1,
      shop: 'shop',
      call: 'link',
      api: 0,
      method: 'POST',
      path: '',
      body: { referee_member_id: 'bob', referrer_member_id: 'ann' },
    },
    { kind: 'answered', at: start + 1, id: 1, outcome: 'ok' },
    {
      kind: 'sent',
      at: start + hour,
      id: 2,
      shop: 'shop',
      call: 'sync',
      api: 0,
      method: 'POST',
      path: '',
      body: { orders },
    },
    { kind: 'answered', at: start + hour + 1, id: 2, outcome: 'ok' },
    {
      kind: 'observed',
      at: start + 100 * hour,
      shop: 'shop',
      what: 'orders',
      rows: orders.map((order) => ({
        ...order,
        items_count: order.items.length,
        every_product_cancelled: order.items.length > 0,
      })),
    },
    {
      kind: 'observed',
      at: start + 100 * hour,
      shop: 'shop',
      what: 'referrals',
      rows: [
        {
          id: 'ref_1',
          referrer_member_id: 'ann',
          referee_member_id: 'bob',
          linked_at: at(0),
          review: 'none',
          not_new: false,
          ended: null,
          moves: [],
        },
      ],
    },
    ...more,
  ];
  return historyOf(entries);
}

/** What the model expects of it. */
function expectedOf(rule: Record<string, unknown>, orders: SentOrder[]) {
  const [shop] = happened(rule, orders).shops;
  if (!shop) throw new Error('there is no shop');
  const read = start + 100 * hour;
  const { orders: expected } = expectedRewards(shop, { settled: read, ended: read });
  return Object.fromEntries(
    expected.map(({ order, reasons, rewards }) => [
      order.orderId,
      [...reasons, ...Object.values(rewards).map((reward) => reward && [...reward.amounts].join())],
    ]),
  );
}

const order = (id: string, hours: number, fields: Partial<SentOrder> = {}) =>
  makeOrder({ order_id: id, member_id: 'bob', order_date: at(hours), ...fields });

describe('The model of rewards', () => {
  it('rewards the earliest of the orders that count as the first', () => {
    const orders = [order('b', 2), order('a', 2), order('c', 1, { cancelled_at: at(3) }), order('d', 4)];
    expect(expectedOf({}, orders)).toEqual({
      a: ['rewarded', '3000', '3000'],
      b: ['already_rewarded', undefined, undefined],
      c: ['cancelled', undefined, undefined],
      d: ['not_first_order', undefined, undefined],
    });
  });

  it('lets no earlier order count of which all products are cancelled', () => {
    const item = { product_id: 'p', product_name: 'p', quantity: 1, price: 5, paid_amount: 30_000 };
    const cancelled = order('a', 1, { items: [{ ...item, cancelled_at: at(2) }], paid_amount: 0 });
    expect(expectedOf({}, [cancelled, order('b', 3)])).toEqual({
      a: ['cancelled', undefined, undefined],
      b: ['rewarded', '3000', '3000'],
    });
  });

  it.each<[string, Partial<SentOrder>, Record<string, unknown>]>([
    ['not_paid', { paid_at: null }, {}],
    ['not_paid_yet', { paid_at: at(200) }, {}],
    ['returned', { returned_at: at(3) }, {}],
    ['unsupported_currency', { currency: 'USD' }, {}],
    ['below_minimum', { paid_amount: 9_999 }, { minimumPaidAmount: 10_000 }],
    ['below_minimum', { paid_amount: 3_000, shipping_amount: 3_000 }, {}],
    ['before_link', { order_date: at(-25) }, {}],
    ['outside_window', { order_date: at(25) }, { windowDays: 1 }],
    ['nothing_to_give', {}, { referee: null, referrer: null }],
  ])('decides with %s', (reason, fields, rule) => {
    expect(expectedOf(rule, [order('a', 1, fields)])).toEqual({ a: [reason, undefined, undefined] });
  });

  it('computes percentages without shipping, rounded down, up to their cap', () => {
    const benefit = (rate: number, cap?: number) => ({
      type: 'points',
      unit: 'points',
      amount: { kind: 'percent', rate, ...(cap === undefined ? {} : { cap }) },
    });
    const rule = { trigger: 'every_order', referee: benefit(2.5), referrer: benefit(10, 500) };
    const orders = [order('a', 1, { paid_amount: 10_033, shipping_amount: 3_000 })];
    expect(expectedOf(rule, orders)).toEqual({ a: ['rewarded', '175', '500'] });
  });

  it('leaves open whether a reward fits into a limit', () => {
    expect(expectedOf({ budget: 4_000 }, [order('a', 1)])).toEqual({
      a: ['referrer_cap_reached', 'budget_exhausted', 'rewarded', '3000', '3000'],
    });
  });

  it('holds a reward from the payment on', () => {
    expect(expectedOf({ holdDays: 30 }, [order('a', 1)])).toEqual({ a: ['hold', '3000', '3000'] });
    expect(expectedOf({ holdDays: 1 }, [order('a', 1)])).toEqual({ a: ['rewarded', '3000', '3000'] });
  });
});

describe('The check of rewards', () => {
  const reward = (role: string, member: string) => ({
    id: `rew_${role}`,
    state: 'confirmed',
    role,
    member_id: member,
    order_id: 'a',
    referral_id: 'ref_1',
    type: 'points',
    unit: 'points',
    amount: 3_000,
    program_version: 1,
    corrected: null,
    created_at: at(2),
    confirm_due_at: null,
    confirmed_at: at(2),
    ended_at: null,
    issued_member_id: member,
  });
  const both = [reward('referee', 'bob'), reward('referrer', 'ann')];
  const check = (rewards: unknown[]) => {
    const explanation = {
      order_id: 'a',
      waits_for_evaluation: false,
      decision: { outcome: 'rewarded', reason: 'rewarded' },
      stored_decision: { number: 1, decided_at: at(2), program_version: 1 },
    };
    const observed = (what: string, rows: unknown[]): Entry => ({
      kind: 'observed',
      at: start + 100 * hour,
      shop: 'shop',
      what,
      rows,
    });
    const more = [observed('rewards', rewards), observed('explanations', [explanation])];
    return rewardDue.check(happened({}, [order('a', 1)], more)).violations.map(({ text }) => text);
  };

  it('finds nothing when each role has what is due', () => {
    expect(check(both)).toEqual([]);
  });

  it('finds a missing reward, a wrong amount, and one of another member', () => {
    expect(check(both.slice(0, 1))).toEqual([expect.stringContaining('has no reward of the referrer')]);
    expect(check(both.map((one) => ({ ...one, amount: 2_999 })))).toHaveLength(2);
    expect(check([both[0], reward('referrer', 'eve')])).toEqual([
      expect.stringContaining('has eve, not ann'),
    ]);
  });
});
