interface ReasonDefinition {
  /** The English name in the console, for badges and charts. */
  label: string;
  /**
   * The English sentence in the console. It may name the parameters of the check that failed (`conditionOf`):
   * `{{amount}}`, `{{days}}`, `{{order}}`, `{{rewards}}`.
   */
  sentence: string;
  /** Whether the order has a reward, or why it has none. */
  result: 'reward' | 'no_reward' | 'failed';
}

/**
 * Every reason code, in the order of the documentation. To add one, add it here with the check that gives it
 * (`checks.ts`), and add its Korean texts to the console; the compiler and the tests name what is missing.
 */
export const reasons = {
  rewarded: {
    label: 'Rewarded',
    sentence: 'This order earned a reward.',
    result: 'reward',
  },
  hold: {
    label: 'Awaiting confirmation',
    sentence: 'This order earned a reward. It is confirmed when the confirmation delay ends.',
    result: 'reward',
  },
  under_review: {
    label: 'Under review',
    sentence: 'This order earned a reward. It is confirmed when someone accepts the member’s referral.',
    result: 'reward',
  },
  not_new: {
    label: 'Not a new member',
    sentence: 'No reward: the member was not new when they were referred (order {{order}} is older).',
    result: 'no_reward',
  },
  not_paid: {
    label: 'Not paid',
    sentence: 'No reward: this order isn’t paid yet.',
    result: 'no_reward',
  },
  not_paid_yet: {
    label: 'Not paid yet',
    sentence: 'No reward yet: the payment date of this order is in the future.',
    result: 'no_reward',
  },
  cancelled: {
    label: 'Cancelled',
    sentence: 'No reward: this order was cancelled.',
    result: 'no_reward',
  },
  returned: {
    label: 'Returned',
    sentence: 'No reward: this order was returned.',
    result: 'no_reward',
  },
  unsupported_currency: {
    label: 'Unsupported currency',
    sentence: 'No reward: this order isn’t in won.',
    result: 'no_reward',
  },
  outside_campaign: {
    label: 'Outside the campaign',
    sentence: 'No reward: this order or the member’s referral isn’t from the time of the campaign.',
    result: 'no_reward',
  },
  label_excluded: {
    label: 'Excluded by its labels',
    sentence:
      'No reward: the program excludes orders with these labels, or requires a label that this order doesn’t have.',
    result: 'no_reward',
  },
  no_eligible_product: {
    label: 'No eligible product',
    sentence: 'No reward: this order has no product that earns a reward.',
    result: 'no_reward',
  },
  below_minimum: {
    label: 'Below the minimum amount',
    sentence: 'No reward: the amount paid is below the minimum order amount.',
    result: 'no_reward',
  },
  before_link: {
    label: 'Placed before the link',
    sentence: 'No reward: this order was placed before the member was referred.',
    result: 'no_reward',
  },
  outside_window: {
    label: 'Outside the eligibility window',
    sentence: 'No reward: this order was placed after the eligibility window ended.',
    result: 'no_reward',
  },
  not_first_order: {
    label: 'Not the first order',
    sentence: 'No reward: this isn’t the member’s first paid order ({{order}} was).',
    result: 'no_reward',
  },
  already_rewarded: {
    label: 'Already rewarded',
    sentence: 'No reward: it was already given for {{order}}.',
    result: 'no_reward',
  },
  revoked_by_person: {
    label: 'Revoked by a person',
    sentence: 'No reward: someone in your shop revoked it.',
    result: 'no_reward',
  },
  member_not_linked: {
    label: 'Member not referred',
    sentence: 'No reward: this member has no referrer.',
    result: 'no_reward',
  },
  rule_changed: {
    label: 'Another rule applies',
    sentence: 'The reward was withdrawn: another rule of the program applies to this order now.',
    result: 'no_reward',
  },
  link_moved: {
    label: 'Link moved',
    sentence: 'The reward of the former referrer was withdrawn: someone in your shop moved the link.',
    result: 'no_reward',
  },
  referral_rejected: {
    label: 'Referral rejected',
    sentence: 'No reward: the member’s referral was rejected.',
    result: 'no_reward',
  },
  referrer_cap_reached: {
    label: 'Referrer limit reached',
    sentence: 'No reward for the referrer: they have reached their limit.',
    result: 'no_reward',
  },
  budget_exhausted: {
    label: 'Budget exhausted',
    sentence: 'No reward: the budget of the program is exhausted.',
    result: 'no_reward',
  },
  nothing_to_give: {
    label: 'No reward in the program',
    sentence: 'No reward: the program gives no reward for this order.',
    result: 'no_reward',
  },
  evaluation_failed: {
    label: 'Evaluation failed',
    sentence: 'No decision: the evaluation of this order failed.',
    result: 'failed',
  },
} as const satisfies Record<string, ReasonDefinition>;

/** Why a decision is what it is. The list is closed. */
export type ReasonCode = keyof typeof reasons;

/** All reason codes, in the order of the documentation. */
export const reasonCodes = Object.keys(reasons) as ReasonCode[];
