import { parseTerms } from './parse-terms.ts';
import type { FlatTerms } from './parse-terms.ts';
import { openSimulation } from './simulate.ts';
import type { SimulatedOrder } from './simulate.ts';

const program = (terms: FlatTerms) => ({
  id: 'prg',
  version: 2,
  terms: parseTerms(terms),
});
const points = (value: number) => ({
  type: 'points' as const,
  unit: 'points',
  amount: { kind: 'fixed' as const, value },
});

type Reward = SimulatedOrder['rewards'][number];

/** A paid order of a referee whom `rex` referred, with the rewards that it has now. */
function simulated(
  orderId: string,
  { referee = 'ann', month = '2026-11', first = true, has = [] as Partial<Reward>[] } = {},
): SimulatedOrder {
  const referral = {
    id: `of-${referee}`,
    code: 'C',
    referrerMemberId: 'rex',
    refereeMemberId: referee,
    source: 'link' as const,
    linkedAt: '2026-11-01T00:00:00.000000Z',
    moves: 0,
    fromOrderId: null,
    olderOrder: null,
    ended: null,
    mergedIds: [],
    review: 'none' as const,
  };
  return {
    now: '2026-11-21T00:00:00.000000Z',
    order: {
      orderId,
      version: 1,
      memberId: referee,
      orderAmount: 30_000,
      paidAmount: 30_000,
      shippingAmount: 0,
      orderDate: '2026-11-02T00:00:00.000000Z',
      firstOrder: first,
      paidAt: '2026-11-02T00:00:00.000000Z',
      countsAsPaidAt: null,
      cancelledAt: null,
      returnedAt: null,
      currency: null,
      labels: [],
      products: null,
      items: { count: 0, cancelled: 0, paidForRest: 0 },
      month,
    },
    referral,
    earlierPaidOrder: first ? null : 'earlier',
    rewards: has.map((reward) => ({
      id: 'r',
      role: 'referee',
      subject: `referral:${referral.id}`,
      orderId,
      memberId: reward.role === 'referrer' ? 'rex' : referee,
      referral,
      type: 'points',
      amount: 3_000,
      unit: 'points',
      month,
      program: program({}),
      state: 'confirmed',
      holdDays: 0,
      confirmDueAt: null,
      holdEnqueued: false,
      notifiedEndpoints: [],
      rule: 'default',
      expiresAt: null,
      correction: null,
      issuedMemberId: null,
      ...reward,
    })),
  };
}

const both: Partial<Reward>[] = [{ role: 'referee' }, { role: 'referrer' }];
const run = (terms: FlatTerms, orders: SimulatedOrder[], maxListed?: number) => {
  const simulation = openSimulation(program(terms), maxListed);
  orders.forEach(simulation.add);
  return simulation.report();
};

describe('A simulation', () => {
  it('finds no difference between a rule and itself', () => {
    const report = run({}, [simulated('o1', { has: both }), simulated('o2', { first: false })]);
    expect(report).toMatchObject({
      orders: 2,
      reasons: { rewarded: 1, not_first_order: 1 },
      draft: { rewards: 2, amounts: { points: 6_000 } },
      difference: { rewards: 0, amounts: { points: 0 } },
      gainsInAll: 0,
      lossesInAll: 0,
    });
  });

  it('gives the reward of a referral once, regardless of the order that has it now', () => {
    const report = run({}, [simulated('o1'), simulated('o2', { has: both })]);
    expect(report.reasons).toEqual({ rewarded: 1, already_rewarded: 1 });
    expect([report.gains, report.losses]).toEqual([[], []]);
    const reverse = run({ referee: points(4_000) }, [simulated('o1', { has: both }), simulated('o2')]);
    expect(reverse.gains).toEqual([
      { memberId: 'ann', role: 'referee', orderId: 'o1', type: 'points', amount: 1_000, unit: 'points' },
    ]);
  });

  it('starts without rewards: existing rewards count against no cap and no budget', () => {
    const orders = ['a', 'b', 'c'].map((referee) => simulated(`o-${referee}`, { referee, has: both }));
    const capped = run({ referrerCap: { total: 2, month: null } }, orders);
    expect(capped.draft).toEqual({ rewards: 5, amounts: { points: 15_000 } });
    expect(capped.losses).toEqual([expect.objectContaining({ memberId: 'rex', orderId: 'o-c' })]);
    const budget = run({ budget: 10_000 }, orders);
    expect(budget.draft.amounts).toEqual({ points: 9_000 });
    expect(budget.reasons).toEqual({ rewarded: 2, budget_exhausted: 1 });
  });

  it('counts a monthly cap by the month of the payment', () => {
    const orders = [
      simulated('o1', { referee: 'a' }),
      simulated('o2', { referee: 'b' }),
      simulated('o3', { referee: 'c', month: '2026-12' }),
    ];
    const { gains } = run({ referrerCap: { total: null, month: 1 } }, orders);
    expect(gains.filter(({ role }) => role === 'referrer').map(({ orderId }) => orderId)).toEqual([
      'o1',
      'o3',
    ]);
  });

  it('reports another unit as a loss and a gain, and a lower amount as a loss', () => {
    const coupon = { ...points(1), type: 'coupon' as const, unit: 'WELCOME' };
    const report = run({ referee: coupon, referrer: points(1_000) }, [simulated('o1', { has: both })]);
    expect(report.gains).toMatchObject([{ memberId: 'ann', type: 'coupon', amount: 1, unit: 'WELCOME' }]);
    expect(report.losses).toMatchObject([
      { memberId: 'ann', amount: 3_000, unit: 'points' },
      { memberId: 'rex', amount: 2_000, unit: 'points' },
    ]);
    expect(report.difference).toEqual({ rewards: 0, amounts: { WELCOME: 1, points: -5_000 } });
  });

  it('does not count revoked rewards', () => {
    const report = run({}, [simulated('o1', { has: [{ role: 'referee', state: 'revoked' }] })]);
    expect(report.current).toEqual({ rewards: 0, amounts: {} });
    expect(report.gainsInAll).toBe(2);
  });

  it('lists at most the given number of differences and counts all of them', () => {
    const orders = Array.from({ length: 30 }, (_, index) => simulated(`o${index}`, { first: true }));
    const report = run({ trigger: 'every_order' }, orders, 10);
    expect(report.gainsInAll).toBe(60);
    expect(report.gains).toHaveLength(10);
    expect(report.gains[0]).toMatchObject({ orderId: 'o0' });
  });
});
