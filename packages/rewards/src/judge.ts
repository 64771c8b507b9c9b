import { failureOf, qualifyingChecks, standingChecks } from './checks.ts';
import type { Check, Reason } from './checks.ts';
import { isLive } from './facts.ts';
import type { EarlierReward, OrderFacts, ReferralFacts, Role } from './facts.ts';
import type { Benefit, Program } from './program.ts';

export interface JudgementInput {
  order: OrderFacts;
  /** The referral whose referee is the order's member, if there is one. */
  referral: ReferralFacts | null;
  program: Program;
  /** Id of another order of the member that was placed earlier and is paid, neither cancelled nor returned. */
  earlierPaidOrder: string | null;
  /** Rewards given before for this order, or for this referral. */
  rewards: EarlierReward[];
}

/** A reward to be given. */
export interface RewardDraft {
  role: Role;
  subject: string;
  memberId: string;
  benefit: Benefit;
  /** False when the merchant was told of an earlier one and never of its revocation: it must not pay twice. */
  announce: boolean;
}

export interface Judgement {
  outcome: 'rewarded' | 'kept' | 'withdrawn' | 'nothing';
  reason: Reason;
  checks: Check[];
  give: RewardDraft[];
  withdraw: EarlierReward[];
}

/** Judges one order in its newest state against the program. Pure: the same input gives the same judgement. */
export function judge(input: JudgementInput): Judgement {
  const { order, referral, program } = input;
  const own = input.rewards.filter((reward) => isLive(reward) && reward.orderId === order.orderId);
  const standing = standingChecks(order, referral !== null, program.rule);
  const broken = failureOf(standing);

  if (own.length > 0) {
    const moved = own.some((reward) => reward.referral.id !== referral?.id);
    if (!broken && !moved) return verdict('kept', 'rewarded', standing);
    return { ...verdict('withdrawn', broken ?? 'member_not_linked', standing), withdraw: own };
  }

  const subject = subjectOf(input);
  const other = input.rewards.find((reward) => isLive(reward) && reward.subject === subject);
  const checks = [
    ...standing,
    ...qualifyingChecks(order, input.earlierPaidOrder, other?.orderId ?? null, program.rule),
  ];
  const failed = failureOf(checks);
  if (failed || !referral) return verdict('nothing', failed ?? 'member_not_linked', checks);

  const give = draftRewards(input, referral, subject);
  if (give.length === 0) return verdict('nothing', 'nothing_to_give', checks);
  return { ...verdict('rewarded', 'rewarded', checks), give };
}

function verdict(outcome: Judgement['outcome'], reason: Reason, checks: Check[]): Judgement {
  return { outcome, reason, checks, give: [], withdraw: [] };
}

/** What is rewarded once per role: the referral under the first-order rule, else the order. */
function subjectOf({ order, referral, program }: JudgementInput): string {
  return program.rule.trigger === 'first_order' ? `referral:${referral?.id}` : `order:${order.orderId}`;
}

function draftRewards(input: JudgementInput, referral: ReferralFacts, subject: string): RewardDraft[] {
  const { rule } = input.program;
  const sides = [
    { role: 'referee', memberId: referral.refereeMemberId, benefit: rule.referee },
    { role: 'referrer', memberId: referral.referrerMemberId, benefit: rule.referrer },
  ] as const;
  return sides.flatMap(({ role, memberId, benefit }) => {
    if (!benefit || benefit.amount <= 0) return [];
    const earlier = input.rewards.filter((reward) => reward.subject === subject && reward.role === role);
    const issuesTold = earlier.filter(({ issueTold }) => issueTold).length;
    const revokesTold = earlier.filter(({ revokeTold }) => revokeTold).length;
    return [{ role, subject, memberId, benefit, announce: issuesTold <= revokesTold }];
  });
}
