import type { Check } from './checks.ts';
import { judge } from './judge.ts';
import type { JudgementInput } from './judge.ts';

/** How to make a failed check pass, and how to say so. */
interface Repair {
  /** Completes "It would earn … if …". */
  condition: string;
  repair(input: JudgementInput): JudgementInput;
}

const won = new Intl.NumberFormat('en');

const withOrder = (input: JudgementInput, order: Partial<JudgementInput['order']>): JudgementInput => ({
  ...input,
  order: { ...input.order, ...order },
});

const repairs: Record<Check['check'], (check: Check, input: JudgementInput) => Repair> = {
  linked: (_check, { order }) => ({
    condition: 'the member were linked to a referrer',
    repair: (input) => ({
      ...input,
      referral: {
        id: '',
        code: '',
        referrerMemberId: '',
        refereeMemberId: order.memberId,
        linkedAt: order.orderDate,
        review: 'none',
      },
    }),
  }),
  review: () => ({
    condition: 'the referral had not been rejected',
    repair: (input) => ({ ...input, referral: input.referral && { ...input.referral, review: 'accepted' } }),
  }),
  paid: (_check, { order }) => ({
    condition: 'it were paid',
    repair: (input) =>
      withOrder(input, { paidAt: order.orderDate, month: order.month ?? order.orderDate.slice(0, 7) }),
  }),
  not_cancelled: () => ({
    condition: 'it were not cancelled',
    repair: (input) => withOrder(input, { cancelledAt: null, items: { ...input.order.items, cancelled: 0 } }),
  }),
  not_returned: () => ({
    condition: 'it were not returned',
    repair: (input) => withOrder(input, { returnedAt: null }),
  }),
  minimum_paid_amount: ({ threshold }) => ({
    condition: `paid_amount were ${won.format(Number(threshold))} or more`,
    repair: (input) =>
      withOrder(input, { paidAmount: Number(threshold), items: { ...input.order.items, cancelled: 0 } }),
  }),
  window: ({ threshold }) => ({
    condition: `it had been placed within ${threshold} days after the link`,
    repair: (input) => withOrder(input, { orderDate: input.referral?.linkedAt ?? input.order.orderDate }),
  }),
  first_order: ({ threshold }) => ({
    condition: `it were the member's first paid order (order ${threshold} is earlier)`,
    repair: (input) => ({ ...input, earlierPaidOrder: null }),
  }),
  not_yet_rewarded: ({ value }) => ({
    condition: `order ${value} had not been rewarded for this referral already`,
    repair: (input) => ({ ...input, rewards: [] }),
  }),
  referrer_total_cap: ({ threshold }) => ({
    condition: `the referrer had fewer than ${threshold} rewards`,
    repair: (input) => ({ ...input, given: { ...input.given, referrerTotal: 0 } }),
  }),
  referrer_month_cap: ({ threshold }) => ({
    condition: `the referrer had fewer than ${threshold} rewards in that month`,
    repair: (input) => ({ ...input, given: { ...input.given, referrerMonth: 0 } }),
  }),
  budget: () => ({
    condition: 'the budget of the program were not used up',
    repair: (input) => ({ ...input, given: { ...input.given, spent: 0 } }),
  }),
};

/**
 * What would have to be different for the order to earn something, as a sentence; undefined when it earns or holds
 * something already, or when nothing helps.
 */
export function counterfactual(input: JudgementInput): string | undefined {
  let supposed: JudgementInput = { ...input, rewards: input.rewards.filter(isOfOther(input)) };
  if (supposed.rewards.length < input.rewards.length && judge(input).outcome !== 'withdrawn')
    return undefined;
  const conditions: string[] = [];
  // Each repair can uncover the next check, limits come last.
  for (let round = 0; round < Object.keys(repairs).length; round += 1) {
    const { checks, give } = judge(supposed);
    const failed = checks.filter(({ passed }) => !passed);
    if (failed.length === 0) {
      if (conditions.length === 0 || give.length === 0) return undefined;
      const earned = give.map(({ role, amount, unit }) => `${won.format(amount)} ${unit} for the ${role}`);
      return `It would earn ${earned.join(' and ')} if ${conditions.join(' and ')}.`;
    }
    for (const check of failed) {
      const { condition, repair } = repairs[check.check](check, input);
      conditions.push(condition);
      supposed = repair(supposed);
    }
  }
  return undefined;
}

/** Live rewards of the order itself are set aside: the question is what it would earn afresh. */
function isOfOther({ order }: JudgementInput): (reward: JudgementInput['rewards'][number]) => boolean {
  return ({ orderId, state }) => orderId !== order.orderId || (state !== 'pending' && state !== 'confirmed');
}
