import { budgetChecks, capChecks, notYetRewardedCheck, liveRewardChecks } from './apply-checks.ts';
import { failureOf } from './checks.ts';
import type { Check } from './checks.ts';
import { isErasedMember, isLive, paidNow } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput, OrderState } from './evaluation-input.ts';
import type { Benefit, Program } from './program.ts';
import type { ReasonCode } from './reasons.ts';
import { isUnderReview } from './referral.ts';
import type { ReferralState, Role } from './referral.ts';
import { daysAfter, isBefore } from './timestamps.ts';

/** A reward to give. */
export interface RewardDraft {
  role: Role;
  subject: string;
  memberId: string;
  type: 'points' | 'coupon';
  unit: string;
  amount: number;
  /** Days from the payment to the confirmation; 0 for no hold. */
  holdDays: number;
  /** When its hold ends; null without a hold. */
  confirmDueAt: string | null;
  /** Whether it waits for the end of its hold or for the review of its referral. */
  pending: boolean;
  /** False when the merchant was notified of an earlier reward and not of its revocation: it must not pay twice. */
  deliver: boolean;
}

/** The result of an evaluation. */
export interface Decision {
  /** The version of the program that was applied. For an order that has rewards, the one they were given under. */
  program: Program;
  /**
   * `rewarded`: new rewards. `confirmed`: pending rewards become confirmed. `kept`: the rewards stand unchanged.
   * `withdrawn`: the rewards are taken back. `no_reward`: none existed and none is given.
   */
  outcome: 'rewarded' | 'confirmed' | 'kept' | 'withdrawn' | 'no_reward';
  reason: ReasonCode;
  checks: Check[];
  give: RewardDraft[];
  /** Pending rewards whose hold has ended; `deliver` as in a draft. */
  confirm: { reward: EarlierReward; deliver: boolean }[];
  /** Pending rewards whose hold ends at another time than before, because the payment has another time. */
  reschedule: { reward: EarlierReward; confirmDueAt: string }[];
  /** Pending ones are cancelled, confirmed ones revoked. */
  withdraw: EarlierReward[];
}

/** Evaluates one order in its newest state against the program. Pure: the same input gives the same decision. */
export function evaluateOrder(input: EvaluationInput): Decision {
  const own = input.rewards.filter((reward) => isLive(reward) && reward.orderId === input.order.orderId);
  return own.length > 0 ? reevaluate(input, own) : evaluateNew(input);
}

/** Decides whether the live rewards of an order are kept, under the rule that they were given under. */
function reevaluate(
  { now, order, referral, earlierPaidOrder, rewards }: EvaluationInput,
  own: EarlierReward[],
): Decision {
  const { program } = own[0] as EarlierReward;
  const checks = liveRewardChecks(order, referral, earlierPaidOrder, program.rule);
  const movedToOtherReferral = own.some((reward) => reward.referral.id !== referral?.id);
  const failed = failureOf(checks) ?? (movedToOtherReferral ? 'member_not_linked' : undefined);
  if (failed) return { ...decision(program, 'withdrawn', failed, checks), withdraw: own };

  const pending = own.filter(({ state }) => state === 'pending');
  const reschedule = pending.flatMap((reward) => {
    const confirmDueAt = holdEndOf(order, reward.holdDays);
    // A hold that was enqueued before its end, by another clock, is enqueued again.
    const early = reward.holdEnqueued && isAfter(confirmDueAt, now);
    return confirmDueAt !== null && (confirmDueAt !== reward.confirmDueAt || early)
      ? { reward, confirmDueAt }
      : [];
  });
  const confirm = pending
    .filter(({ holdDays }) => !isUnderReview(referral) && !isAfter(holdEndOf(order, holdDays), now))
    .map((reward) => ({ reward, deliver: isPayable(rewards, reward.subject, reward.role) }));
  if (confirm.length > 0)
    return { ...decision(program, 'confirmed', 'rewarded', checks), confirm, reschedule };
  const reason = pending.length > 0 ? pendingReason(referral) : 'rewarded';
  return { ...decision(program, 'kept', reason, checks), reschedule };
}

/** Decides whether an order without rewards earns some. */
function evaluateNew(input: EvaluationInput): Decision {
  const { order, referral, program } = input;
  const { rule } = program;
  const subject = rule.trigger === 'first_order' ? `referral:${referral?.id}` : `order:${order.orderId}`;
  const other = input.rewards.find((reward) => isLive(reward) && reward.subject === subject);
  const checks = liveRewardChecks(order, referral, input.earlierPaidOrder, rule);
  if (rule.trigger === 'first_order') checks.push(notYetRewardedCheck(other?.orderId ?? null));
  const failed = failureOf(checks);
  if (failed || !referral) return decision(program, 'no_reward', failed ?? 'member_not_linked', checks);

  const { give, limits } = draftRewards(input, referral, subject);
  checks.push(...limits);
  if (give.length === 0)
    return decision(program, 'no_reward', failureOf(limits) ?? 'nothing_to_give', checks);
  const reason = give[0]?.pending ? pendingReason(referral) : 'rewarded';
  return { ...decision(program, 'rewarded', reason, checks), give };
}

/** When the hold of a reward of this order ends: some days after the payment. Null without a hold. */
function holdEndOf({ paidAt }: OrderState, holdDays: number): string | null {
  return paidAt !== null && holdDays > 0 ? daysAfter(paidAt, holdDays) : null;
}

function isAfter(end: string | null, now: string): boolean {
  return end !== null && isBefore(now, end);
}

/** Why rewards of the referral are pending. */
function pendingReason(referral: ReferralState | null): ReasonCode {
  return isUnderReview(referral) ? 'under_review' : 'hold';
}

function decision(
  program: Program,
  outcome: Decision['outcome'],
  reason: ReasonCode,
  checks: Check[],
): Decision {
  return { program, outcome, reason, checks, give: [], confirm: [], reschedule: [], withdraw: [] };
}

/** Drafts the reward of each role that caps and the budget allow. A limit of one role does not affect the other. */
function draftRewards(
  { now, order, program: { rule }, usage, rewards }: EvaluationInput,
  referral: ReferralState,
  subject: string,
): { give: RewardDraft[]; limits: Check[] } {
  const benefits = [
    { role: 'referee', memberId: referral.refereeMemberId, benefit: rule.referee, caps: [] as Check[] },
    {
      role: 'referrer',
      memberId: referral.referrerMemberId,
      benefit: rule.referrer,
      caps: capChecks(usage, rule),
    },
  ] as const;
  const { holdDays } = rule;
  const confirmDueAt = holdEndOf(order, holdDays);
  const pending = isUnderReview(referral) || isAfter(confirmDueAt, now);
  const give: RewardDraft[] = [];
  const limits: Check[] = [];
  let { spent } = usage;
  for (const { role, memberId, benefit, caps } of benefits) {
    const amount = benefit && !isErasedMember(memberId) ? amountOf(benefit, order) : 0;
    if (!benefit || amount === 0) continue;
    const checks = [...caps, ...budgetChecks(spent, amount, rule)];
    limits.push(...checks);
    if (failureOf(checks)) continue;
    spent += amount;
    const { type, unit } = benefit;
    const deliver = isPayable(rewards, subject, role);
    give.push({
      role,
      subject,
      memberId,
      type,
      unit,
      amount,
      holdDays,
      confirmDueAt,
      pending,
      deliver,
    });
  }
  return { give, limits };
}

/** The amount of a benefit for an order, in its unit. Integer arithmetic: a rate has at most two decimals. */
export function amountOf({ amount }: Benefit, order: OrderState): number {
  if (amount.kind === 'fixed') return amount.value;
  const base = BigInt(Math.max(0, paidNow(order) - order.shippingAmount));
  const earned = Number((base * BigInt(Math.round(amount.rate * 100))) / 10_000n);
  return amount.cap === null ? earned : Math.min(earned, amount.cap);
}

/**
 * Whether every reward that the merchant was notified of for this subject and role was revoked: it was notified of as
 * many revocations as issues.
 */
function isPayable(rewards: EarlierReward[], subject: string, role: Role): boolean {
  const earlier = rewards.filter((reward) => reward.subject === subject && reward.role === role);
  const issues = earlier.filter(({ issueNotified }) => issueNotified).length;
  const revokes = earlier.filter(({ revokeNotified }) => revokeNotified).length;
  return issues <= revokes;
}

/** The fields of a decision that make it a new one. */
export interface DecisionKey {
  orderVersion: number;
  programVersion: number;
  outcome: string;
  reason: string;
  referralId: string;
}

/** Whether a decision (`made`) repeats the newest stored one of its order: it is not stored again. */
export function repeatsDecision(made: DecisionKey, last: DecisionKey | undefined): boolean {
  return (
    last?.orderVersion === made.orderVersion &&
    last.programVersion === made.programVersion &&
    last.outcome === made.outcome &&
    last.reason === made.reason &&
    last.referralId === made.referralId
  );
}
