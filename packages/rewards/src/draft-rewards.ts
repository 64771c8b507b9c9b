import {
  budgetChecks,
  capChecks,
  notRevokedByPersonCheck,
  notRewardedBeforeMergeCheck,
  revocationNotifiedChecks,
} from './apply-checks.ts';
import { failureOf } from './checks.ts';
import type { Check } from './checks.ts';
import { eligibleProducts } from './eligible-products.ts';
import { isErasedMember, isOfReferral, paidNow, standsAfterMerge } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput, OrderState } from './evaluation-input.ts';
import type { Benefit, Rule } from './program.ts';
import { isUnderReview } from './referral.ts';
import type { ReferralState, Role } from './referral.ts';
import { daysAfter, isBefore, laterOf } from './timestamps.ts';

/** A reward to give. */
export interface RewardDraft {
  /** The rule that gives it; null when a person does. */
  rule: string | null;
  role: Role;
  subject: string;
  memberId: string;
  type: 'points' | 'coupon';
  unit: string;
  amount: number;
  /** Days from the payment, or from the order if that is later, to the confirmation; 0 for no hold. */
  holdDays: number;
  /** When its hold ends; null without a hold. */
  confirmDueAt: string | null;
  /** Days from the confirmation until it expires; null for never. */
  validDays: number | null;
  /** Whether it waits for the end of its hold or for the review of its referral. */
  pending: boolean;
  /** False when a webhook was notified of an earlier reward and not of its revocation: the merchant must not pay twice. */
  deliver: boolean;
}

/**
 * Drafts the reward that a rule gives each of these roles, if caps and the budget of the program in force allow it. A limit of one
 * role does not affect the other. `notes` are the limits, and the checks that keep a merchant from being notified.
 */
export function draftRewards(
  input: EvaluationInput,
  {
    referral,
    subject,
    rule,
    roles,
  }: { referral: ReferralState; subject: string; rule: Rule; roles: readonly Role[] },
): { give: RewardDraft[]; limits: Check[]; notes: Check[] } {
  const { now, order, program, usage } = input;
  const { holdDays } = rule;
  const confirmDueAt = holdEndOf(order, holdDays);
  const pending = isUnderReview(referral) || isAfter(confirmDueAt, now);
  const give: RewardDraft[] = [];
  const limits: Check[] = [];
  const guards: Check[] = [];
  let { spent } = usage;
  for (const role of roles) {
    const memberId = role === 'referee' ? referral.refereeMemberId : referral.referrerMemberId;
    const benefit = rule[role];
    const amount = benefit && !isErasedMember(memberId) ? amountOf(benefit, order, rule) : 0;
    if (!benefit || amount === 0) continue;
    const closed = settledSubjectChecks(input, referral, subject, role);
    if (closed.length > 0) {
      limits.push(...closed);
      continue;
    }
    const caps = role === 'referrer' ? capChecks(usage, program.terms) : [];
    const checks = [...caps, ...budgetChecks(spent, amount, program.terms)];
    limits.push(...checks);
    if (failureOf(checks)) continue;
    spent += amount;
    const { type, unit } = benefit;
    const guard = doubleGrantChecks(input, referral, subject, role);
    // A pending reward is checked when it is confirmed.
    if (!pending) guards.push(...guard);
    give.push({
      rule: rule.id,
      role,
      subject,
      memberId,
      type,
      unit,
      amount,
      holdDays,
      confirmDueAt,
      validDays: benefit.validDays,
      pending,
      deliver: guard.length === 0,
    });
  }
  return { give, limits, notes: [...limits, ...guards] };
}

/** The amount of a benefit of a rule for an order, in its unit. Integer arithmetic: a rate has at most two decimals. */
export function amountOf(
  { amount }: Benefit,
  order: OrderState,
  { products }: Pick<Rule, 'products'>,
): number {
  if (amount.kind === 'fixed') return amount.value;
  const base = BigInt(
    products ? eligibleProducts(order, products).amount : Math.max(0, paidNow(order) - order.shippingAmount),
  );
  const earned = Number((base * BigInt(Math.round(amount.rate * 100))) / 10_000n);
  return amount.cap === null ? earned : Math.min(earned, amount.cap);
}

/**
 * The check that fails when nothing is given for this subject or order any more: a person revoked a reward for it, so that only a
 * person gives another one; or it was rewarded before a merge.
 */
function settledSubjectChecks(
  input: EvaluationInput,
  referral: ReferralState,
  subject: string,
  role: Role,
): Check[] {
  const earlier = earlierFor(input, referral, subject, role);
  const revoked = earlier.find(({ correction }) => correction === 'revoked');
  if (revoked) return [notRevokedByPersonCheck(revoked.id)];
  const kept = earlier.find(standsAfterMerge);
  return kept ? [notRewardedBeforeMergeCheck(kept)] : [];
}

/**
 * The checks that fail when a webhook was notified of an earlier reward and not of its revocation: of a reward for the same subject
 * or the same order, which the merchant would grant twice.
 */
export function doubleGrantChecks(
  input: EvaluationInput,
  referral: ReferralState,
  subject: string,
  role: Role,
): Check[] {
  return revocationNotifiedChecks(
    earlierFor(input, referral, subject, role).filter(({ state }) => state === 'revoked'),
  );
}

/**
 * The earlier rewards of a role for the same order or the same subject. The rewards of a referral, and those of the referrals that
 * ended when its referee was merged with others, are for the same subject.
 */
function earlierFor(
  { order, rewards }: EvaluationInput,
  { mergedIds }: ReferralState,
  subject: string,
  role: Role,
): EarlierReward[] {
  const isSame = (reward: EarlierReward) =>
    reward.subject === subject ||
    reward.orderId === order.orderId ||
    (subject.startsWith('referral:') && isOfReferral(reward) && mergedIds.includes(reward.referral.id));
  return rewards.filter((reward) => reward.role === role && isSame(reward));
}

/**
 * When the hold of a reward of this order ends: some days after the payment, or after the order if that is later, since a payment long
 * before its order has a wrong date. Null without a hold.
 */
export function holdEndOf({ paidAt, orderDate }: OrderState, holdDays: number): string | null {
  if (paidAt === null || holdDays <= 0) return null;
  return daysAfter(laterOf(paidAt, orderDate), holdDays);
}

/** Whether the end of a hold, if there is one, is in the future. */
export function isAfter(end: string | null, now: string): boolean {
  return end !== null && isBefore(now, end);
}
