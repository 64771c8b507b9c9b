import type { Check } from './checks.ts';
import { evaluateOrder } from './evaluate-order.ts';
import type { EvaluationInput, RewardDraft } from './evaluate-order.ts';

/** Something that would have to be different: the check that fails, and what a sentence about it names. */
export type Condition =
  | { code: 'linked' | 'review' | 'paid' | 'not_cancelled' | 'not_returned' | 'budget' }
  /** In won. */
  | { code: 'minimum_paid_amount'; amount: number }
  | { code: 'window'; days: number }
  /** The earlier paid order, or the one that has the reward. */
  | { code: 'first_order' | 'not_yet_rewarded'; order_id: string }
  | { code: 'referrer_total_cap' | 'referrer_month_cap'; rewards: number };

/** What an order would earn if all conditions held. */
export interface Counterfactual {
  earns: Pick<RewardDraft, 'role' | 'type' | 'amount' | 'unit'>[];
  conditions: Condition[];
}

/** How to make a failed check pass. */
interface Repair {
  condition: Condition;
  repair(input: EvaluationInput): EvaluationInput;
}

const withOrder = (input: EvaluationInput, order: Partial<EvaluationInput['order']>): EvaluationInput => ({
  ...input,
  order: { ...input.order, ...order },
});

const repairs: Record<Check['check'], (check: Check, input: EvaluationInput) => Repair> = {
  linked: (_check, { order }) => ({
    condition: { code: 'linked' },
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
    condition: { code: 'review' },
    repair: (input) => ({ ...input, referral: input.referral && { ...input.referral, review: 'accepted' } }),
  }),
  paid: (_check, { order }) => ({
    condition: { code: 'paid' },
    repair: (input) =>
      withOrder(input, { paidAt: order.orderDate, month: order.month ?? order.orderDate.slice(0, 7) }),
  }),
  not_cancelled: () => ({
    condition: { code: 'not_cancelled' },
    repair: (input) => withOrder(input, { cancelledAt: null, items: { ...input.order.items, cancelled: 0 } }),
  }),
  not_returned: () => ({
    condition: { code: 'not_returned' },
    repair: (input) => withOrder(input, { returnedAt: null }),
  }),
  minimum_paid_amount: ({ threshold }) => ({
    condition: { code: 'minimum_paid_amount', amount: Number(threshold) },
    repair: (input) =>
      withOrder(input, { paidAmount: Number(threshold), items: { ...input.order.items, cancelled: 0 } }),
  }),
  window: ({ threshold }) => ({
    condition: { code: 'window', days: Number(threshold) },
    repair: (input) => withOrder(input, { orderDate: input.referral?.linkedAt ?? input.order.orderDate }),
  }),
  first_order: ({ threshold }) => ({
    condition: { code: 'first_order', order_id: String(threshold) },
    repair: (input) => ({ ...input, earlierPaidOrder: null }),
  }),
  not_yet_rewarded: ({ value }) => ({
    condition: { code: 'not_yet_rewarded', order_id: String(value) },
    repair: (input) => ({ ...input, rewards: [] }),
  }),
  referrer_total_cap: ({ threshold }) => ({
    condition: { code: 'referrer_total_cap', rewards: Number(threshold) },
    repair: (input) => ({ ...input, given: { ...input.given, referrerTotal: 0 } }),
  }),
  referrer_month_cap: ({ threshold }) => ({
    condition: { code: 'referrer_month_cap', rewards: Number(threshold) },
    repair: (input) => ({ ...input, given: { ...input.given, referrerMonth: 0 } }),
  }),
  budget: () => ({
    condition: { code: 'budget' },
    repair: (input) => ({ ...input, given: { ...input.given, spent: 0 } }),
  }),
};

/**
 * What would have to be different for the order to earn something; undefined when it earns or holds something already, or
 * when nothing helps.
 */
export function counterfactual(input: EvaluationInput): Counterfactual | undefined {
  let supposed: EvaluationInput = { ...input, rewards: input.rewards.filter(isOfOther(input)) };
  if (supposed.rewards.length < input.rewards.length && evaluateOrder(input).outcome !== 'withdrawn')
    return undefined;
  const conditions: Condition[] = [];
  // Each repair can uncover the next check, limits come last.
  for (let round = 0; round < Object.keys(repairs).length; round += 1) {
    const { checks, give } = evaluateOrder(supposed);
    const failed = checks.filter(({ passed }) => !passed);
    if (failed.length === 0) {
      if (conditions.length === 0 || give.length === 0) return undefined;
      return {
        earns: give.map(({ role, type, amount, unit }) => ({ role, type, amount, unit })),
        conditions,
      };
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
function isOfOther({ order }: EvaluationInput): (reward: EvaluationInput['rewards'][number]) => boolean {
  return ({ orderId, state }) => orderId !== order.orderId || (state !== 'pending' && state !== 'confirmed');
}
