import type { OrderFacts } from './facts.ts';
import type { ProgramRule } from './program.ts';

/** Why an order earned what it did. The list is closed; `docs/rewards.md` explains each. */
export const reasons = [
  'rewarded',
  'not_paid',
  'cancelled',
  'returned',
  'below_minimum',
  'not_first_order',
  'already_rewarded',
  'member_not_linked',
  'nothing_to_give',
] as const;
export type Reason = (typeof reasons)[number];

/** What is checked, and the reason that a failed check gives. */
const reasonOf = {
  linked: 'member_not_linked',
  paid: 'not_paid',
  not_cancelled: 'cancelled',
  not_returned: 'returned',
  minimum_paid_amount: 'below_minimum',
  first_order: 'not_first_order',
  not_yet_rewarded: 'already_rewarded',
} as const satisfies Record<string, Reason>;

/** One check of a judgement, with what it looked at. */
export interface Check {
  check: keyof typeof reasonOf;
  value: string | number | boolean | null;
  /** What the value was held against, where there is such a thing. */
  threshold: string | number | null;
  passed: boolean;
}

/** The reason that the first failed check gives; undefined when all passed. */
export function failureOf(checks: Check[]): Reason | undefined {
  const failed = checks.find(({ passed }) => !passed);
  return failed && reasonOf[failed.check];
}

/** Checks that must hold for as long as the reward is to stand: one that fails later takes it back. */
export function standingChecks(order: OrderFacts, linked: boolean, rule: ProgramRule): Check[] {
  return [
    { check: 'linked', value: linked, threshold: null, passed: linked },
    { check: 'paid', value: order.paidAt, threshold: null, passed: order.paidAt !== null },
    { check: 'not_cancelled', value: order.cancelledAt, threshold: null, passed: order.cancelledAt === null },
    { check: 'not_returned', value: order.returnedAt, threshold: null, passed: order.returnedAt === null },
    {
      check: 'minimum_paid_amount',
      value: order.paidAmount,
      threshold: rule.minimumPaidAmount,
      passed: order.paidAmount >= rule.minimumPaidAmount,
    },
  ];
}

/**
 * Checks that count only while nothing was given yet. An order is the first when the merchant says so, or
 * when no earlier paid order of the member is known.
 */
export function qualifyingChecks(
  order: OrderFacts,
  earlierPaidOrder: string | null,
  rewardedByOther: string | null,
  rule: ProgramRule,
): Check[] {
  if (rule.trigger === 'every_order') return [];
  const first = order.firstOrder || earlierPaidOrder === null;
  return [
    { check: 'first_order', value: order.firstOrder, threshold: earlierPaidOrder, passed: first },
    { check: 'not_yet_rewarded', value: rewardedByOther, threshold: null, passed: rewardedByOther === null },
  ];
}
