import type { Condition, Counterfactual } from './counterfactual.ts';

const format = new Intl.NumberFormat('en').format;

/** A counterfactual as an English sentence: "It would earn … if …". */
export function counterfactualText({ earns, conditions }: Counterfactual): string {
  const earned = earns.map(({ role, amount, unit }) => `${format(amount)} ${unit} for the ${role}`);
  return `It would earn ${earned.join(' and ')} if ${conditions.map(conditionText).join(' and ')}.`;
}

function conditionText(condition: Condition): string {
  switch (condition.code) {
    case 'linked':
      return 'the member were linked to a referrer';
    case 'review':
      return 'the referral had not been rejected';
    case 'paid':
      return 'it were paid';
    case 'not_cancelled':
      return 'it were not cancelled';
    case 'not_returned':
      return 'it were not returned';
    case 'minimum_paid_amount':
      return `paid_amount were ${format(condition.amount)} or more`;
    case 'window':
      return `it had been placed within ${condition.days} days after the link`;
    case 'first_order':
      return `it were the member's first paid order (order ${condition.order_id} is earlier)`;
    case 'not_yet_rewarded':
      return `order ${condition.order_id} had not been rewarded for this referral already`;
    case 'referrer_total_cap':
      return `the referrer had fewer than ${condition.rewards} rewards`;
    case 'referrer_month_cap':
      return `the referrer had fewer than ${condition.rewards} rewards in that month`;
    case 'budget':
      return 'the budget of the program were not used up';
  }
}
