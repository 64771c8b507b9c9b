import { budgetChecks, capChecks, revocationNotifiedChecks } from './apply-checks.ts';
import type { Check } from './checks.ts';
import type { RewardDraft } from './draft-rewards.ts';
import { isErasedMember, isLive } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput } from './evaluation-input.ts';
import type { Role } from './referral.ts';

/**
 * What a person wants to change about the rewards of an order. `exceedLimits`: over a cap or the budget too. `another`: beside live rewards
 * of the role.
 */
export type Correction =
  | {
      kind: 'grant';
      role: Role;
      type: 'points' | 'coupon';
      unit: string;
      amount: number;
      /** `manual:<id>` */
      subject: string;
      exceedLimits: boolean;
      another: boolean;
    }
  | { kind: 'revoke'; rewardId: string }
  | { kind: 'adjust'; rewardId: string; amount: number; exceedLimits: boolean };

/** Why a correction is refused. */
export type CorrectionRefusal =
  /** The member of the order was not referred. */
  | { code: 'member_not_linked' }
  /** The member who would get the reward was erased. */
  | { code: 'member_erased' }
  /** The order has live rewards of this role: they are named. */
  | { code: 'reward_exists'; rewards: NamedReward[] }
  /** The amount is above the limit of the merchant for rewards by hand, or above what the reward has if that is greater. */
  | { code: 'above_manual_limit' | 'above_own_amount'; limit: number }
  /** The reward has ended. */
  | { code: 'reward_ended' }
  /** The reward has this amount. */
  | { code: 'amount_unchanged' }
  /** A cap or the budget does not allow it. */
  | { code: 'limit_exceeded'; check: Check }
  /** A webhook was notified of an earlier reward and not of its revocation: it would grant twice. */
  | { code: 'revocation_not_notified'; webhookId: string; rewardId: string };

/** A reward in the explanation of a refusal. */
export type NamedReward = Pick<EarlierReward, 'id' | 'amount' | 'unit'>;

/** What a correction reads. */
export interface CorrectionInput extends EvaluationInput {
  /** The highest amount of a reward by hand. */
  manualRewardLimit: number;
}

/** The changes that a correction makes, in the form of those of a decision. */
export interface CorrectionChanges {
  give: RewardDraft[];
  amend: { from: EarlierReward; to: EarlierReward }[];
  adjust: { from: EarlierReward; amount: number }[];
  withdraw: EarlierReward[];
}

const nothing: CorrectionChanges = { give: [], amend: [], adjust: [], withdraw: [] };

/** Decides what a person's correction changes, or why it is refused. Pure. Each reward in the input has its notified endpoints. */
export function correctOrder(
  input: CorrectionInput,
  correction: Correction,
): { changes: CorrectionChanges } | { refusal: CorrectionRefusal } {
  if (correction.kind === 'grant') return grant(input, correction);
  const reward = input.rewards.find(({ id }) => id === correction.rewardId);
  if (!reward || !isLive(reward)) return { refusal: { code: 'reward_ended' } };
  return correction.kind === 'revoke'
    ? { changes: { ...nothing, withdraw: [reward] } }
    : adjust(input, reward, correction);
}

function grant(
  { order, referral, program, usage, rewards, manualRewardLimit }: CorrectionInput,
  { role, type, unit, amount, subject, exceedLimits, another }: Extract<Correction, { kind: 'grant' }>,
): ReturnType<typeof correctOrder> {
  if (amount > manualRewardLimit)
    return { refusal: { code: 'above_manual_limit', limit: manualRewardLimit } };
  if (!referral) return { refusal: { code: 'member_not_linked' } };
  const memberId = role === 'referee' ? referral.refereeMemberId : referral.referrerMemberId;
  if (isErasedMember(memberId)) return { refusal: { code: 'member_erased' } };
  const ofRole = rewards.filter((reward) => reward.role === role && reward.orderId === order.orderId);
  const live = ofRole.filter(isLive);
  if (live.length > 0 && !another) {
    const named = live.map(({ id, amount: given, unit: counted }) => ({ id, amount: given, unit: counted }));
    return { refusal: { code: 'reward_exists', rewards: named } };
  }
  const limits = [
    ...(role === 'referrer' ? capChecks(usage, program.terms) : []),
    ...budgetChecks(usage.spent, amount, program.terms),
  ];
  const refusal =
    (exceedLimits ? undefined : limitRefusal(limits)) ??
    holderRefusal(ofRole.filter(({ state }) => state === 'revoked'));
  if (refusal) return { refusal };
  const draft: RewardDraft = {
    rule: null,
    role,
    subject,
    memberId,
    type,
    unit,
    amount,
    holdDays: 0,
    confirmDueAt: null,
    validDays: null,
    pending: false,
    deliver: true,
  };
  return { changes: { ...nothing, give: [draft] } };
}

function adjust(
  { program, usage, manualRewardLimit }: CorrectionInput,
  from: EarlierReward,
  { amount, exceedLimits }: Extract<Correction, { kind: 'adjust' }>,
): ReturnType<typeof correctOrder> {
  if (amount > Math.max(manualRewardLimit, from.amount))
    return manualRewardLimit >= from.amount
      ? { refusal: { code: 'above_manual_limit', limit: manualRewardLimit } }
      : { refusal: { code: 'above_own_amount', limit: from.amount } };
  if (amount === from.amount) return { refusal: { code: 'amount_unchanged' } };
  const limits = amount > from.amount ? budgetChecks(usage.spent - from.amount, amount, program.terms) : [];
  const refusal =
    (exceedLimits ? undefined : limitRefusal(limits)) ??
    (from.state === 'confirmed' ? holderRefusal([from]) : undefined);
  if (refusal) return { refusal };
  return {
    changes:
      from.state === 'pending'
        ? { ...nothing, amend: [{ from, to: { ...from, amount } }] }
        : { ...nothing, adjust: [{ from, amount }] },
  };
}

function limitRefusal(limits: Check[]): CorrectionRefusal | undefined {
  const check = limits.find(({ passed }) => !passed);
  return check && { code: 'limit_exceeded', check };
}

function holderRefusal(rewards: EarlierReward[]): CorrectionRefusal | undefined {
  const [check] = revocationNotifiedChecks(rewards);
  return (
    check && {
      code: 'revocation_not_notified',
      webhookId: String(check.value),
      rewardId: String(check.threshold),
    }
  );
}

/** The most rewards that the explanation of a refusal names. */
export const mostNamed = 20;

/** Names rewards in English, each with its amount: `rwd_1 (3,000 points), rwd_2 (1 COUPON)`. */
export function nameRewards(rewards: readonly NamedReward[]): string {
  const named = rewards
    .slice(0, mostNamed)
    .map(({ id, amount, unit }) => `${id} (${amount.toLocaleString('en')} ${unit})`);
  const more = rewards.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
