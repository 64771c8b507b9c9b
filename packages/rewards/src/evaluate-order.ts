import { amountOf } from './amount.ts';
import { budgetCheck, capChecks, failureOf, notYetRewarded, standingChecks } from './checks.ts';
import type { Check, Given, ReasonCode } from './checks.ts';
import { isLive } from './facts.ts';
import type { EarlierReward, OrderState, ReferralState, Role } from './facts.ts';
import type { Program } from './program.ts';
import { isErasedMember } from './erased-member.ts';

export interface EvaluationInput {
  order: OrderState;
  /** The referral whose referee is the order's member, if there is one. */
  referral: ReferralState | null;
  program: Program;
  /** Id of another order of the member that was placed earlier and counts as paid (`countsAsPaid`). */
  earlierPaidOrder: string | null;
  /** Rewards given before for this order, or for this referral. */
  rewards: EarlierReward[];
  given: Given;
}

/** A reward to be given. */
export interface RewardDraft {
  role: Role;
  subject: string;
  memberId: string;
  type: 'points' | 'coupon';
  unit: string;
  amount: number;
  /** False when the merchant was told of an earlier one and never of its revocation: it must not pay twice. */
  announce: boolean;
}

export interface Decision {
  /** The version that it was evaluated by: what an order has earned is looked at under the rule that it was earned under. */
  program: Program;
  outcome: 'rewarded' | 'confirmed' | 'kept' | 'withdrawn' | 'no_reward';
  reason: ReasonCode;
  checks: Check[];
  give: RewardDraft[];
  /** Pending rewards whose hold is over; `announce` as in a draft. */
  confirm: { reward: EarlierReward; announce: boolean }[];
  /** Pending ones are cancelled, confirmed ones revoked. */
  withdraw: EarlierReward[];
}

/** Judges one order in its newest state against the program. Pure: the same input gives the same decision. */
export function evaluateOrder(input: EvaluationInput): Decision {
  const own = input.rewards.filter((reward) => isLive(reward) && reward.orderId === input.order.orderId);
  return own.length > 0 ? review(input, own) : consider(input);
}

/** Looks whether what the order has earned still stands, by the rule that it was earned under. */
function review(
  { order, referral, earlierPaidOrder, rewards }: EvaluationInput,
  own: EarlierReward[],
): Decision {
  const { program } = own[0] as EarlierReward;
  const checks = standingChecks(order, referral, earlierPaidOrder, program.rule);
  const moved = own.some((reward) => reward.referral.id !== referral?.id);
  const broken = failureOf(checks) ?? (moved ? 'member_not_linked' : undefined);
  if (broken) return { ...decision(program, 'withdrawn', broken, checks), withdraw: own };

  const confirm = own
    .filter(({ state, holdOver }) => state === 'pending' && holdOver && !isUnderReview(referral))
    .map((reward) => ({ reward, announce: isNews(rewards, reward.subject, reward.role) }));
  if (confirm.length > 0) return { ...decision(program, 'confirmed', 'rewarded', checks), confirm };
  const held = own.some(({ state }) => state === 'pending');
  return decision(program, 'kept', held ? waitingReason(referral) : 'rewarded', checks);
}

/** Looks whether an order that has nothing yet earns something. */
function consider(input: EvaluationInput): Decision {
  const { order, referral, program } = input;
  const { rule } = program;
  const subject = rule.trigger === 'first_order' ? `referral:${referral?.id}` : `order:${order.orderId}`;
  const other = input.rewards.find((reward) => isLive(reward) && reward.subject === subject);
  const checks = standingChecks(order, referral, input.earlierPaidOrder, rule);
  if (rule.trigger === 'first_order') checks.push(notYetRewarded(other?.orderId ?? null));
  const failed = failureOf(checks);
  if (failed || !referral) return decision(program, 'no_reward', failed ?? 'member_not_linked', checks);

  const { give, limits } = draftRewards(input, referral, subject);
  checks.push(...limits);
  if (give.length === 0)
    return decision(program, 'no_reward', failureOf(limits) ?? 'nothing_to_give', checks);
  const waits = rule.holdDays > 0 || isUnderReview(referral);
  return { ...decision(program, 'rewarded', waits ? waitingReason(referral) : 'rewarded', checks), give };
}

/** Whether rewards of the referral stay pending until somebody accepts it. */
export function isUnderReview(referral: ReferralState | null): boolean {
  return referral?.review === 'pending';
}

/** What pending rewards wait for. */
function waitingReason(referral: ReferralState | null): ReasonCode {
  return isUnderReview(referral) ? 'under_review' : 'hold';
}

function decision(
  program: Program,
  outcome: Decision['outcome'],
  reason: ReasonCode,
  checks: Check[],
): Decision {
  return { program, outcome, reason, checks, give: [], confirm: [], withdraw: [] };
}

/** The reward of each side, as far as caps and budget allow it. One side's limit does not touch the other's reward. */
function draftRewards(
  { order, program: { rule }, given, rewards }: EvaluationInput,
  referral: ReferralState,
  subject: string,
): { give: RewardDraft[]; limits: Check[] } {
  const sides = [
    { role: 'referee', memberId: referral.refereeMemberId, benefit: rule.referee, caps: [] as Check[] },
    {
      role: 'referrer',
      memberId: referral.referrerMemberId,
      benefit: rule.referrer,
      caps: capChecks(given, rule),
    },
  ] as const;
  const give: RewardDraft[] = [];
  const limits: Check[] = [];
  let { spent } = given;
  for (const { role, memberId, benefit, caps } of sides) {
    const amount = benefit && !isErasedMember(memberId) ? amountOf(benefit, order) : 0;
    if (!benefit || amount === 0) continue;
    const checks = [...caps, ...budgetCheck(spent, amount, rule)];
    limits.push(...checks);
    if (failureOf(checks)) continue;
    spent += amount;
    const { type, unit } = benefit;
    give.push({ role, subject, memberId, type, unit, amount, announce: isNews(rewards, subject, role) });
  }
  return { give, limits };
}

/** Whether the merchant has nothing of it yet: every earlier reward that it was told of was taken back, and it was told. */
function isNews(rewards: EarlierReward[], subject: string, role: Role): boolean {
  const earlier = rewards.filter((reward) => reward.subject === subject && reward.role === role);
  const issues = earlier.filter(({ issueNotified }) => issueNotified).length;
  const revokes = earlier.filter(({ revokeNotified }) => revokeNotified).length;
  return issues <= revokes;
}
