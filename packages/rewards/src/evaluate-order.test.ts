import fc from 'fast-check';
import { amountOf } from './amount.ts';
import { evaluateOrder } from './evaluate-order.ts';
import type { EvaluationInput } from './evaluate-order.ts';
import { parseRule } from './parse-rule.ts';
import { RuleError } from './rule-error.ts';
import { defaultRule } from './program.ts';
import type { ProgramRule } from './program.ts';
import { newErasedMemberId } from './erased-member.ts';

const order: EvaluationInput['order'] = {
  orderId: 'o',
  version: 1,
  memberId: 'bob',
  orderAmount: 30_000,
  paidAmount: 27_000,
  shippingAmount: 3_000,
  orderDate: '2026-11-21T01:00:00.000000Z',
  firstOrder: false,
  paidAt: '2026-11-21T01:00:00.000000Z',
  cancelledAt: null,
  returnedAt: null,
  items: { count: 0, cancelled: 0, paidForRest: 0 },
  month: '2026-11',
};
const referral = {
  id: 'ref',
  code: 'CODE',
  referrerMemberId: 'ann',
  refereeMemberId: 'bob',
  linkedAt: '2026-11-20T01:00:00.000000Z',
  review: 'none' as const,
};
const given = { referrerTotal: 0, referrerMonth: 0, spent: 0 };

function evaluated(rule: Partial<ProgramRule>, input: Partial<EvaluationInput> = {}) {
  const program = { id: 'p', version: 1, rule: { ...defaultRule, ...rule } };
  return evaluateOrder({ order, referral, program, earlierPaidOrder: null, rewards: [], given, ...input });
}
const rolesOf = ({ give }: ReturnType<typeof evaluated>) => give.map(({ role }) => role);

describe('a decision', () => {
  it('gives both sides what the rule says', () => {
    expect(evaluated({}).give.map(({ role, memberId, amount }) => [role, memberId, amount])).toEqual([
      ['referee', 'bob', 3_000],
      ['referrer', 'ann', 3_000],
    ]);
  });

  it('gives nothing to a member who was erased, and the other side its own', () => {
    const erased = { ...referral, referrerMemberId: newErasedMemberId('x') };
    expect(rolesOf(evaluated({}, { referral: erased }))).toEqual(['referee']);
  });

  it('counts the days of the window from the link to the order, and an order from before the link as inside', () => {
    const linked = (linkedAt: string) =>
      evaluated({ windowDays: 1 }, { referral: { ...referral, linkedAt } });
    expect(linked('2026-11-20T01:00:00.000000Z').reason).toBe('rewarded');
    expect(linked('2026-11-20T00:59:59.000000Z').reason).toBe('outside_window');
    expect(linked('2026-12-31T00:00:00.000000Z').reason).toBe('rewarded');
  });

  it('withholds one side for its cap and not the other', () => {
    const capped = evaluated(
      { referrerCap: { total: 2, month: null } },
      { given: { ...given, referrerTotal: 2 } },
    );
    expect(rolesOf(capped)).toEqual(['referee']);
    expect(capped.checks.find(({ check }) => check === 'referrer_total_cap')).toMatchObject({
      value: 2,
      threshold: 2,
      passed: false,
    });
  });

  it('gives what is left of the budget to the referee first', () => {
    expect(rolesOf(evaluated({ budget: 5_000 }))).toEqual(['referee']);
    expect(evaluated({ budget: 5_000 }, { given: { ...given, spent: 4_000 } }).reason).toBe(
      'budget_exhausted',
    );
  });
});

describe('a percentage', () => {
  it('is of the amount paid without shipping, rounded down, never above its cap, and exact for any amount', () => {
    fc.assert(
      fc.property(
        fc.nat(2 ** 40),
        fc.nat(10_000),
        fc.integer({ min: 1, max: 10_000 }),
        fc.option(fc.integer({ min: 1, max: 1_000_000 })),
        (paidAmount, shippingAmount, hundredths, cap) => {
          const amount = { kind: 'percent', rate: hundredths / 100, cap } as const;
          const earned = amountOf(
            { type: 'points', unit: 'p', amount },
            { ...order, paidAmount, shippingAmount },
          );
          const base = BigInt(Math.max(0, paidAmount - shippingAmount));
          const exact = Number((base * BigInt(hundredths)) / 10_000n);
          expect(earned).toBe(Math.min(exact, cap ?? exact));
        },
      ),
    );
  });
});

describe('a rule', () => {
  it('names all its problems at once', () => {
    const read = () =>
      parseRule({
        trigger: 'sometimes',
        holdDays: -1,
        referee: { type: 'cash', amount: { kind: 'percent', rate: 200 } },
      });
    expect(read).toThrow(RuleError);
    try {
      read();
    } catch (error) {
      expect(Object.keys((error as RuleError).problems).sort()).toEqual([
        'holdDays',
        'referee.amount.rate',
        'referee.type',
        'referee.unit',
        'trigger',
      ]);
    }
  });

  it('is the default one where nothing is said', () => {
    expect(parseRule({})).toEqual(defaultRule);
  });
});
