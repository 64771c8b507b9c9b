import { standsAfterMerge } from './evaluation-input.ts';
import type { EvaluationInput } from './evaluation-input.ts';
import type { Rule } from './program.ts';
import type { ReasonCode } from './reasons.ts';
import { daysAfter, isBefore } from './timestamps.ts';

/** The value that a check reads, and the limit that it compares the value with, if there is one. */
export interface CheckedValue {
  value: string | number | boolean | null;
  threshold: string | number | null;
}

interface CheckDefinition {
  /** The reason code of a decision whose first failed check this is. */
  reason: ReasonCode;
  /** The English name in the console. */
  label: string;
  /** What would make it pass, in English: "It would earn … if {condition}." `textParameters` fills the `{{…}}`. */
  condition: string;
  /** The parameters of `condition`, and of the sentence of the reason code. */
  parameters?(
    check: CheckedValue,
  ):
    | { amount: number }
    | { days: number }
    | { order_id: string }
    | { rewards: number }
    | { webhook_id: string };
  /** Changes an input so that the check of this rule passes. */
  satisfy(input: EvaluationInput, check: CheckedValue, rule: Rule): EvaluationInput;
}

const amount = ({ threshold }: CheckedValue) => ({ amount: Number(threshold) });
const days = ({ threshold }: CheckedValue) => ({ days: Number(threshold) });
const rewards = ({ threshold }: CheckedValue) => ({ rewards: Number(threshold) });

const withOrder = (input: EvaluationInput, changes: Partial<EvaluationInput['order']>): EvaluationInput => ({
  ...input,
  order: { ...input.order, ...changes },
});
const withUsage = (input: EvaluationInput, changes: Partial<EvaluationInput['usage']>): EvaluationInput => ({
  ...input,
  usage: { ...input.usage, ...changes },
});

/** A time within the period that a check compared it with: its beginning, or a millisecond before its end. */
function timeWithin({ value, threshold }: CheckedValue): string {
  const end = String(threshold);
  return isBefore(String(value), end) ? end : daysAfter(end, -1 / 86_400_000);
}

/** Every check, in the order in which they are made. `apply-checks.ts` makes them. */
export const checks = {
  linked: {
    reason: 'member_not_linked',
    label: 'Member was referred',
    condition: 'the member were linked to a referrer',
    satisfy: (input) => ({
      ...input,
      referral: {
        id: '',
        code: '',
        referrerMemberId: '',
        refereeMemberId: input.order.memberId,
        source: 'link',
        linkedAt: input.order.orderDate,
        review: 'none',
        moves: 0,
        fromOrderId: null,
        olderOrder: null,
        ended: null,
        mergedIds: [],
      },
    }),
  },
  review: {
    reason: 'referral_rejected',
    label: 'Review of the referral',
    condition: 'the referral had not been rejected',
    satisfy: (input) => ({ ...input, referral: input.referral && { ...input.referral, review: 'accepted' } }),
  },
  new_member: {
    reason: 'not_new',
    label: 'Member was new',
    condition: 'the member had been new when they were linked (order {{order}} is older)',
    parameters: ({ value }) => ({ order_id: String(value) }),
    satisfy: (input) => ({ ...input, referral: input.referral && { ...input.referral, olderOrder: null } }),
  },
  paid: {
    reason: 'not_paid',
    label: 'Order is paid',
    condition: 'it were paid',
    satisfy: (input) =>
      withOrder(input, {
        paidAt: input.order.orderDate,
        month: input.order.month ?? input.order.orderDate.slice(0, 7),
      }),
  },
  payment_time: {
    reason: 'not_paid_yet',
    label: 'Payment time reached',
    condition: 'its paid_at had been reached',
    satisfy: (input) => withOrder(input, { countsAsPaidAt: null }),
  },
  not_cancelled: {
    reason: 'cancelled',
    label: 'Not cancelled',
    condition: 'it had not been cancelled',
    satisfy: (input) =>
      withOrder(input, { cancelledAt: null, items: { ...input.order.items, cancelled: 0 } }),
  },
  not_returned: {
    reason: 'returned',
    label: 'Not returned',
    condition: 'it had not been returned',
    satisfy: (input) => withOrder(input, { returnedAt: null }),
  },
  currency: {
    reason: 'unsupported_currency',
    label: 'Currency is won',
    condition: 'its currency were won',
    satisfy: (input) => withOrder(input, { currency: null }),
  },
  ordered_within: {
    reason: 'outside_campaign',
    label: 'Ordered in the campaign',
    condition: 'it had been placed in the time of the campaign',
    satisfy: (input, check) => withOrder(input, { orderDate: timeWithin(check) }),
  },
  linked_within: {
    reason: 'outside_campaign',
    label: 'Referred in the campaign',
    condition: 'the member had been linked in the time of the campaign',
    satisfy: (input, check) => ({
      ...input,
      referral: input.referral && { ...input.referral, linkedAt: timeWithin(check) },
    }),
  },
  order_labels: {
    reason: 'label_excluded',
    label: 'Labels of the order',
    condition: 'it had other labels',
    satisfy: (input, _check, { orderLabels }) =>
      withOrder(input, {
        labels: [
          ...input.order.labels.filter((label) => !orderLabels?.none.includes(label)),
          ...(orderLabels?.any.slice(0, 1) ?? []),
        ],
      }),
  },
  eligible_products: {
    reason: 'no_eligible_product',
    label: 'Eligible products',
    condition: 'its products earned a reward',
    satisfy: (input) => withOrder(input, { products: 'all_eligible' }),
  },
  minimum_paid_amount: {
    reason: 'below_minimum',
    label: 'Minimum order amount',
    condition: 'paid_amount were {{amount}} or more',
    parameters: amount,
    satisfy: (input, { threshold }, { products }) =>
      withOrder(input, {
        paidAmount: Number(threshold) + (products ? input.order.shippingAmount : 0),
        items: { ...input.order.items, cancelled: 0 },
        ...(products && { products: 'all_eligible' }),
      }),
  },
  paid_without_shipping: {
    reason: 'below_minimum',
    label: 'Not a free order',
    condition: 'the amount paid without shipping were {{amount}} or more',
    parameters: amount,
    satisfy: (input, { threshold }, { products }) =>
      withOrder(input, {
        paidAmount: Math.max(input.order.paidAmount, input.order.shippingAmount + Number(threshold)),
        items: { ...input.order.items, cancelled: 0 },
        ...(products && { products: 'all_eligible' }),
      }),
  },
  placed_after_link: {
    reason: 'before_link',
    label: 'Placed after the link',
    condition: 'it had been placed after the member was linked',
    satisfy: (input) => withOrder(input, { orderDate: input.referral?.linkedAt ?? input.order.orderDate }),
  },
  window: {
    reason: 'outside_window',
    label: 'Eligibility window',
    condition: 'it had been placed within {{days}} days after the link',
    parameters: days,
    satisfy: (input) => withOrder(input, { orderDate: input.referral?.linkedAt ?? input.order.orderDate }),
  },
  first_order: {
    reason: 'not_first_order',
    label: 'First paid order',
    condition: "it were the member's first paid order (order {{order}} is earlier)",
    parameters: ({ threshold }) => ({ order_id: String(threshold) }),
    satisfy: (input) => ({ ...input, earlierPaidOrder: null }),
  },
  earlier_first_order: {
    reason: 'not_first_order',
    label: 'No earlier first order',
    condition: 'order {{order}}, which is earlier, did not count as the first order',
    parameters: ({ value }) => ({ order_id: String(value) }),
    satisfy: (input) => ({ ...input, earlierFirstOrder: null }),
  },
  not_yet_rewarded: {
    reason: 'already_rewarded',
    label: 'Not rewarded before',
    condition: 'order {{order}} had not been rewarded for this referral',
    parameters: ({ value }) => ({ order_id: String(value) }),
    satisfy: (input) => ({ ...input, rewards: [] }),
  },
  rule_kept: {
    reason: 'rewarded',
    label: 'Rule follows the order',
    condition: 'its rule followed the order',
    satisfy: (input) => ({ ...input, rewards: [] }),
  },
  not_revoked_by_person: {
    reason: 'revoked_by_person',
    label: 'Not revoked by a person',
    condition: 'nobody had revoked its reward',
    satisfy: (input) => ({
      ...input,
      rewards: input.rewards.map((reward) => ({ ...reward, correction: null })),
    }),
  },
  not_rewarded_before_merge: {
    reason: 'already_rewarded',
    label: 'Not rewarded before a merge',
    condition: 'order {{order}} had not been rewarded before the members were merged',
    parameters: ({ value }) => ({ order_id: String(value) }),
    satisfy: (input) => ({ ...input, rewards: input.rewards.filter((reward) => !standsAfterMerge(reward)) }),
  },
  referrer_total_cap: {
    reason: 'referrer_cap_reached',
    label: 'Lifetime limit per referrer',
    condition: 'the referrer had fewer than {{rewards}} rewards',
    parameters: rewards,
    satisfy: (input) => withUsage(input, { referrerTotal: 0 }),
  },
  referrer_month_cap: {
    reason: 'referrer_cap_reached',
    label: 'Monthly limit per referrer',
    condition: 'the referrer had fewer than {{rewards}} rewards in that month',
    parameters: rewards,
    satisfy: (input) => withUsage(input, { referrerMonth: 0 }),
  },
  budget: {
    reason: 'budget_exhausted',
    label: 'Within budget',
    condition: 'the program had budget left',
    satisfy: (input) => withUsage(input, { spent: 0 }),
  },
  amount_kept: {
    reason: 'rewarded',
    label: 'Amount follows the order',
    condition: 'its amount followed the order',
    satisfy: (input) => ({ ...input, rewards: [] }),
  },
  revocation_notified: {
    reason: 'rewarded',
    label: 'Revocation sent to every webhook',
    condition: 'webhook {{webhook}} had been sent the reward.revoke of the earlier reward',
    parameters: ({ value }) => ({ webhook_id: String(value) }),
    satisfy: (input) => ({
      ...input,
      rewards: input.rewards.map((reward) => ({ ...reward, notifiedEndpoints: [] })),
    }),
  },
} as const satisfies Record<string, CheckDefinition>;

/** The name of a check. */
export type CheckName = keyof typeof checks;

/** All checks, in the order in which they are made. */
export const checkNames = Object.keys(checks) as CheckName[];

/** One check of a decision with its result. */
export interface Check extends CheckedValue {
  check: CheckName;
  passed: boolean;
  /** The id of a rule that was tried before the reported one, whose first failed check this is. */
  rule?: string;
}

type ParametersOf<N extends CheckName> = (typeof checks)[N] extends {
  parameters(check: CheckedValue): infer P;
}
  ? P
  : unknown;

/** What would have to hold for a check to pass: the name of the check, and the parameters of its text. */
export type Condition = { [N in CheckName]: { code: N } & ParametersOf<N> }[CheckName];

/** What would have to hold for this check to pass. */
export function conditionOf(check: Check): Condition {
  const { parameters }: CheckDefinition = checks[check.check];
  return { code: check.check, ...parameters?.(check) } as Condition;
}

/** The values of the `{{…}}` in the texts of a condition or of its reason code. `amount` is in won. */
export function textParameters(condition: Condition): {
  amount?: number;
  days?: number;
  order?: string;
  rewards?: number;
  webhook?: string;
} {
  const { code: _code, ...parameters } = condition;
  if ('webhook_id' in parameters) return { webhook: parameters.webhook_id };
  return 'order_id' in parameters ? { order: parameters.order_id } : parameters;
}

/** A copy of the input in which this check of a rule passes. */
export function satisfyCheck(input: EvaluationInput, check: Check, rule: Rule): EvaluationInput {
  const { satisfy }: CheckDefinition = checks[check.check];
  return satisfy(input, check, rule);
}

/** The check that gives the reason: the first one that failed, without those of rules that were tried before; undefined when all passed. */
export const failedCheck = (results: Check[]): Check | undefined =>
  results.find(({ passed, rule }) => !passed && rule === undefined);

/** The reason code of {@link failedCheck}. */
export function failureOf(results: Check[]): ReasonCode | undefined {
  const failed = failedCheck(results);
  return failed && checks[failed.check].reason;
}

/** A check as it is stored with its decision: `[check, value, threshold, passed]`, and the rule of one that was tried before. */
export type PackedCheck = [CheckName, Check['value'], Check['threshold'], boolean, string?];

/** Packs checks for storage. They are written for every order and read for few, so the format is compact. */
export function packChecks(results: Check[]): PackedCheck[] {
  return results.map(({ check, value, threshold, passed, rule }) =>
    rule === undefined ? [check, value, threshold, passed] : [check, value, threshold, passed, rule],
  );
}

/** Reverses `packChecks`. */
export function unpackChecks(packed: PackedCheck[]): Check[] {
  return packed.map(([check, value, threshold, passed, rule]) => ({
    ...{ check, value, threshold, passed },
    ...(rule !== undefined && { rule }),
  }));
}
