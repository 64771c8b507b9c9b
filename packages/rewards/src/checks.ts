import { cancellationOf, paidNow } from './facts.ts';
import type { OrderState, ReferralState } from './facts.ts';
import type { ProgramRule } from './program.ts';

/** Why an order earned what it did. The list is closed; `docs/rewards.md` explains each. */
export const reasons = [
  'rewarded',
  'hold',
  'under_review',
  'not_paid',
  'cancelled',
  'returned',
  'below_minimum',
  'outside_window',
  'not_first_order',
  'already_rewarded',
  'member_not_linked',
  'referral_rejected',
  'referrer_cap_reached',
  'budget_exhausted',
  'nothing_to_give',
] as const;
export type ReasonCode = (typeof reasons)[number];

/** What is checked, and the reason that a failed check gives. */
const reasonOf = {
  linked: 'member_not_linked',
  review: 'referral_rejected',
  paid: 'not_paid',
  not_cancelled: 'cancelled',
  not_returned: 'returned',
  minimum_paid_amount: 'below_minimum',
  window: 'outside_window',
  first_order: 'not_first_order',
  not_yet_rewarded: 'already_rewarded',
  referrer_total_cap: 'referrer_cap_reached',
  referrer_month_cap: 'referrer_cap_reached',
  budget: 'budget_exhausted',
} as const satisfies Record<string, ReasonCode>;

/** One check of a decision, with what it looked at. */
export interface Check {
  check: keyof typeof reasonOf;
  value: string | number | boolean | null;
  /** What the value was held against, where there is such a thing. */
  threshold: string | number | null;
  passed: boolean;
}

/** The reason that the first failed check gives; undefined when all passed. */
export function failureOf(checks: Check[]): ReasonCode | undefined {
  const failed = checks.find(({ passed }) => !passed);
  return failed && reasonOf[failed.check];
}

const dayMs = 86_400_000;

/**
 * Checks that must hold for as long as the reward is to stand: one that fails later takes it back. An order is the
 * first when the merchant says so, or when no earlier paid order of the member is known.
 */
export function standingChecks(
  order: OrderState,
  referral: ReferralState | null,
  earlierPaidOrder: string | null,
  rule: ProgramRule,
): Check[] {
  const cancelled = cancellationOf(order);
  const paid = paidNow(order);
  const checks: Check[] = [
    { check: 'linked', value: referral !== null, threshold: null, passed: referral !== null },
    ...reviewCheck(referral),
    { check: 'paid', value: order.paidAt, threshold: null, passed: order.paidAt !== null },
    { check: 'not_cancelled', value: cancelled, threshold: null, passed: cancelled === null },
    { check: 'not_returned', value: order.returnedAt, threshold: null, passed: order.returnedAt === null },
    {
      check: 'minimum_paid_amount',
      value: paid,
      threshold: rule.minimumPaidAmount,
      passed: paid >= rule.minimumPaidAmount,
    },
  ];
  if (rule.windowDays !== null && referral) checks.push(windowCheck(order, referral, rule.windowDays));
  if (rule.trigger === 'first_order')
    checks.push({
      check: 'first_order',
      value: order.firstOrder,
      threshold: earlierPaidOrder,
      passed: order.firstOrder || earlierPaidOrder === null,
    });
  return checks;
}

/** Whether somebody rejected the link; left out for a link that needs no review. */
function reviewCheck(referral: ReferralState | null): Check[] {
  if (!referral || referral.review === 'none') return [];
  const { review } = referral;
  return [{ check: 'review', value: review, threshold: null, passed: review !== 'rejected' }];
}

/** Days from the link to the order. An order from before its link is inside. */
function windowCheck(order: OrderState, referral: ReferralState, windowDays: number): Check {
  const days = (Date.parse(order.orderDate) - Date.parse(referral.linkedAt)) / dayMs;
  return {
    check: 'window',
    value: Math.round(days * 100) / 100,
    threshold: windowDays,
    passed: days <= windowDays,
  };
}

/** Whether another order of the referee has the one reward of the first-order rule. */
export function notYetRewarded(otherOrder: string | null): Check {
  return { check: 'not_yet_rewarded', value: otherOrder, threshold: null, passed: otherOrder === null };
}

/** What the program has given so far. */
export interface Given {
  /** Live rewards of the order's referrer, in all and in the order's month. */
  referrerTotal: number;
  referrerMonth: number;
  /** Sum of the amounts of all live rewards. */
  spent: number;
}

/** Whether the referrer may get one more. */
export function capChecks(given: Given, rule: ProgramRule): Check[] {
  const { total, month } = rule.referrerCap;
  const check = (
    name: 'referrer_total_cap' | 'referrer_month_cap',
    value: number,
    cap: number | null,
  ): Check[] => (cap === null ? [] : [{ check: name, value, threshold: cap, passed: value < cap }]);
  return [
    ...check('referrer_total_cap', given.referrerTotal, total),
    ...check('referrer_month_cap', given.referrerMonth, month),
  ];
}

/** Whether so much more fits the budget. */
export function budgetCheck(spent: number, amount: number, rule: ProgramRule): Check[] {
  if (rule.budget === null) return [];
  const left = rule.budget - spent;
  return [{ check: 'budget', value: amount, threshold: left, passed: amount <= left }];
}
