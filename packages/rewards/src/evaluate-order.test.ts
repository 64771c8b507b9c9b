import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { buildInput } from '../testing/build-input.ts';
import { amountOf } from './draft-rewards.ts';
import { evaluateOrder } from './evaluate-order.ts';
import { newErasedMemberId } from './evaluation-input.ts';
import type { EvaluationInput } from './evaluation-input.ts';
import { findCounterfactual } from './counterfactual.ts';
import { parseTerms } from './parse-terms.ts';
import type { FlatTerms } from './parse-terms.ts';
import { simulatedReward } from './simulate.ts';
import { TermsError } from './terms-error.ts';
import { defaultTerms } from './program.ts';
import { daysAfter } from './timestamps.ts';

const { order, referral, usage } = buildInput();

function evaluate(terms: FlatTerms, changes: Partial<EvaluationInput> = {}) {
  return evaluateOrder(buildInput(terms, changes));
}
const rolesOf = ({ give }: ReturnType<typeof evaluate>) => give.map(({ role }) => role);

describe('evaluateOrder', () => {
  it('gives each side the reward of the rule', () => {
    expect(evaluate({}).give.map(({ role, memberId, amount }) => [role, memberId, amount])).toEqual([
      ['referee', 'bob', 3_000],
      ['referrer', 'ann', 3_000],
    ]);
  });

  it('gives an erased member no reward, and the other side its own', () => {
    const erased = { ...referral, referrerMemberId: newErasedMemberId('x') };
    expect(rolesOf(evaluate({}, { referral: erased }))).toEqual(['referee']);
  });

  it('measures the window from the link to the order', () => {
    const linked = (linkedAt: string) => evaluate({ windowDays: 1 }, { referral: { ...referral, linkedAt } });
    expect(linked('2026-11-20T01:00:00.000000Z').reason).toBe('rewarded');
    expect(linked('2026-11-20T00:59:59.000000Z').reason).toBe('outside_window');
    expect(linked('2026-11-22T00:59:59.000000Z').reason).toBe('rewarded');
  });

  it('gives nothing for an order from before the link by more than 24 hours, unless the rule counts it', () => {
    const linked = (earlierOrders: 'count' | 'ignore', linkedAt: string) =>
      evaluate({ earlierOrders, windowDays: 1 }, { referral: { ...referral, linkedAt } }).reason;
    expect(linked('ignore', '2026-11-22T01:00:00.000000Z')).toBe('rewarded');
    expect(linked('ignore', '2026-11-22T01:00:00.000001Z')).toBe('before_link');
    expect(linked('count', '2026-12-31T00:00:00.000000Z')).toBe('rewarded');
  });

  it('counts orders from the one that a person named on, to the microsecond and under every rule', () => {
    const placed = (orderDate: string) => {
      const { linkedAt } = referral;
      return evaluate(
        { earlierOrders: 'count' },
        { order: { ...order, orderDate }, referral: { ...referral, fromOrderId: 'from', linkedAt } },
      ).reason;
    };
    expect(placed('2026-11-20T01:00:00.000000Z')).toBe('rewarded');
    expect(placed('2026-11-20T00:59:59.999999Z')).toBe('before_link');
  });

  it('takes back what a former referrer got under an earlier link, and nothing else', () => {
    const { give, program } = { ...evaluate({}), ...buildInput() };
    const rewards = give.map(({ role, memberId, subject, type, unit, amount }) => ({
      ...{
        id: role,
        role,
        memberId,
        subject,
        type,
        unit,
        amount,
        referral,
        program,
        rule: 'default',
        expiresAt: null,
      },
      ...{ orderId: order.orderId, month: '2026-11', state: 'confirmed' as const, correction: null },
      ...{
        holdDays: 0,
        confirmDueAt: null,
        holdEnqueued: false,
        notifiedEndpoints: [],
        issuedMemberId: null,
      },
    }));
    const under = (changes: Partial<typeof referral>) =>
      evaluate({}, { rewards, referral: { ...referral, ...changes } });
    const moved = under({ moves: 1, referrerMemberId: 'carol' });
    expect([moved.outcome, moved.reason, moved.withdraw.map(({ id }) => id)]).toEqual([
      'withdrawn',
      'link_moved',
      ['referrer'],
    ]);
    // Another id of the same referrer, and a link that was moved away and back.
    expect(under({ referrerMemberId: 'ann-renamed' }).withdraw).toEqual([]);
    expect(under({ moves: 2 }).withdraw).toEqual([]);
  });

  it('applies the cap of the referrer to the referrer alone', () => {
    const capped = evaluate(
      { referrerCap: { total: 2, month: null } },
      { usage: { ...usage, referrerTotal: 2 } },
    );
    expect(rolesOf(capped)).toEqual(['referee']);
    expect(capped.checks.find(({ check }) => check === 'referrer_total_cap')).toMatchObject({
      value: 2,
      threshold: 2,
      passed: false,
    });
  });

  it.each([
    [0, 0, 0],
    [3_000, 3_000, 0],
    [2_000, 3_000, 0],
  ])(
    'gives nothing for a free order: %i paid, %i of it shipping, minimum %i',
    (paidAmount, shippingAmount, minimum) => {
      const free = { ...order, paidAmount, shippingAmount };
      const given = evaluate({ minimumPaidAmount: minimum }, { order: free });
      expect([given.outcome, given.reason]).toEqual(['no_reward', 'below_minimum']);
      expect(
        evaluate({ minimumPaidAmount: minimum }, { order: { ...free, paidAmount: shippingAmount + 1 } })
          .reason,
      ).toBe('rewarded');
    },
  );

  it('gives nothing for an order in another currency, and withdraws its live rewards', () => {
    const abroad = { ...order, currency: 'USD' };
    expect(evaluate({}, { order: abroad })).toMatchObject({
      outcome: 'no_reward',
      reason: 'unsupported_currency',
    });
    const { give } = evaluate({});
    const live = give.map((draft) => ({
      ...draft,
      id: draft.role,
      orderId: order.orderId,
      referral,
      month: '2026-11',
      program: buildInput().program,
      expiresAt: null,
      state: 'confirmed' as const,
      holdEnqueued: false,
      notifiedEndpoints: [],
      correction: null,
      issuedMemberId: null,
    }));
    const { outcome, reason, withdraw } = evaluate({}, { order: abroad, rewards: live });
    expect([outcome, reason, withdraw.length]).toEqual(['withdrawn', 'unsupported_currency', 2]);
  });

  it('gives nothing for an order that is paid in the future, until its time is reached', () => {
    const ahead = { ...order, countsAsPaidAt: '2026-11-30T00:00:00.000000Z' };
    expect(evaluate({}, { order: ahead })).toMatchObject({ outcome: 'no_reward', reason: 'not_paid_yet' });
    expect(findCounterfactual(buildInput({}, { order: ahead }))?.conditions).toEqual([
      { code: 'payment_time' },
    ]);
  });

  it('says by how much a free order misses its reward, also when the minimum is higher', () => {
    const free = { ...order, paidAmount: 0 };
    expect(
      findCounterfactual(buildInput({ minimumPaidAmount: 30_000 }, { order: free }))?.conditions,
    ).toEqual([
      { code: 'minimum_paid_amount', amount: 30_000 },
      { code: 'paid_without_shipping', amount: 1 },
    ]);
  });

  it('says that an order lacks only the reward of another one, which no longer counts against the limits then', () => {
    const capped = { referrerCap: { total: 1, month: 1 }, budget: 6_000 };
    const given = evaluate({}).give.map((draft, index) => ({
      ...simulatedReward(referral, 'later', buildInput(capped).program),
      ...draft,
      id: `r${index}`,
      month: '2026-11',
    }));
    const used = {
      usage: { referrerTotal: 1, referrerMonth: 1, spent: 6_000 },
      rewards: given,
      holder: 'later' as const,
    };
    expect(evaluate(capped, used)).toMatchObject({ reason: 'already_rewarded', contends: true, give: [] });
    expect(evaluate({ ...capped, budget: 2_000 }, used)).toMatchObject({ contends: false });
    expect(evaluate({ ...capped, referee: null }, used)).toMatchObject({ contends: true });
    const cancelled = { ...order, cancelledAt: '2026-11-22T00:00:00.000000Z' };
    expect(evaluate(capped, { ...used, order: cancelled })).toMatchObject({ contends: false });
    const closed = given.map((reward) => ({ ...reward, id: 'old', state: 'revoked' as const }));
    const byPerson = closed.map((reward) => ({ ...reward, correction: 'revoked' as const }));
    expect(evaluate(capped, { ...used, rewards: [...given, ...byPerson] })).toMatchObject({
      contends: false,
    });
    // The order that has it gives way to an older one, whatever else holds.
    const later = { ...order, orderId: 'later' };
    expect(evaluate(capped, { ...used, order: later })).toMatchObject({ outcome: 'kept' });
    expect(evaluate(capped, { ...used, order: later, earlierFirstOrder: 'o' })).toMatchObject({
      outcome: 'withdrawn',
      reason: 'not_first_order',
      withdraw: given,
    });
  });

  it('counts a hold from the payment: past the end the reward is confirmed at once', () => {
    const held = evaluate({ holdDays: 7 });
    expect([held.reason, held.give.map(({ pending, confirmDueAt }) => [pending, confirmDueAt])]).toEqual([
      'hold',
      [
        [true, '2026-11-28T01:00:00.000000Z'],
        [true, '2026-11-28T01:00:00.000000Z'],
      ],
    ]);
    const past = evaluate({ holdDays: 7 }, { now: '2026-11-28T01:00:00.000000Z' });
    expect([past.reason, past.give.map(({ pending }) => pending)]).toEqual(['rewarded', [false, false]]);
  });

  it('counts a hold from the order when the payment is dated before it', () => {
    const wrong = { ...order, paidAt: '1980-01-01T00:00:00.000000Z' };
    const held = evaluate({ holdDays: 7 }, { order: wrong });
    const end = daysAfter(order.orderDate, 7);
    expect([held.reason, held.give.map(({ pending, confirmDueAt }) => [pending, confirmDueAt])]).toEqual([
      'hold',
      [
        [true, end],
        [true, end],
      ],
    ]);
  });

  it('enqueues a hold again that another clock found ended before its end', () => {
    const rule = { holdDays: 7 };
    const rewards = evaluate(rule).give.map((draft) => ({
      ...draft,
      id: draft.role,
      orderId: order.orderId,
      referral,
      month: '2026-11',
      program: buildInput(rule).program,
      expiresAt: null,
      state: 'pending' as const,
      holdEnqueued: true,
      notifiedEndpoints: [],
      correction: null,
      issuedMemberId: null,
    }));
    const { outcome, reschedule } = evaluate(rule, { rewards });
    expect([outcome, reschedule.map(({ reward }) => reward.id)]).toEqual(['kept', ['referee', 'referrer']]);
  });

  it('gives the rest of the budget to the referee first', () => {
    expect(rolesOf(evaluate({ budget: 5_000 }))).toEqual(['referee']);
    expect(evaluate({ budget: 5_000 }, { usage: { ...usage, spent: 4_000 } }).reason).toBe(
      'budget_exhausted',
    );
  });
});

describe('A percentage', () => {
  it('is taken of the amount paid without shipping, rounded down, capped, and exact for any amount', () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 40),
        fc.nat(10_000),
        fc.integer({ min: 1, max: 10_000 }),
        fc.option(fc.integer({ min: 1, max: 1_000_000 })),
        (paidAmount, shippingAmount, hundredths, cap) => {
          const amount = { kind: 'percent', rate: hundredths / 100, cap } as const;
          const earned = amountOf(
            { type: 'points', unit: 'p', amount, validDays: null },
            { ...order, paidAmount, shippingAmount },
            { products: null },
          );
          const base = BigInt(Math.max(0, paidAmount - shippingAmount));
          const exact = Number((base * BigInt(hundredths)) / 10_000n);
          expect(earned).toBe(Math.min(exact, cap ?? exact));
        },
      ),
      { numRuns: propertyCases(100) },
    );
  });
});

describe('parseTerms', () => {
  it('reports every problem of a rule at once', () => {
    const read = () =>
      parseTerms({
        trigger: 'sometimes',
        holdDays: -1,
        referee: { type: 'cash', amount: { kind: 'percent', rate: 200 } },
      });
    expect(read).toThrow(TermsError);
    try {
      read();
    } catch (error) {
      expect(Object.keys((error as TermsError).problems).sort()).toEqual([
        'holdDays',
        'referee.amount.rate',
        'referee.type',
        'referee.unit',
        'trigger',
      ]);
    }
  });

  it('takes missing fields from the default rule', () => {
    expect(parseTerms({})).toEqual(defaultTerms);
  });
});
