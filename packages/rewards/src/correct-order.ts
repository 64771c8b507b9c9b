import { budgetChecks, capChecks, holderChecks } from './apply-checks.ts';
import type { Check } from './checks.ts';
import type { RewardDraft } from './evaluate-order.ts';
import { isErasedMember, isLive } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput } from './evaluation-input.ts';
import type { Role } from './referral.ts';

/** What a person wants to change about the rewards of an order. `exceedLimits`: over a cap or the budget too. */
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
    }
  | { kind: 'revoke'; rewardId: string }
  | { kind: 'adjust'; rewardId: string; amount: number; exceedLimits: boolean };

/** Why a correction is refused. */
export type CorrectionRefusal =
  /** The member of the order was not referred. */
  | { code: 'member_not_linked' }
  /** The member who would get the reward was erased. */
  | { code: 'member_erased' }
  /** The reward has ended. */
  | { code: 'reward_ended' }
  /** The reward has this amount. */
  | { code: 'amount_unchanged' }
  /** A cap or the budget does not allow it. */
  | { code: 'limit_exceeded'; check: Check }
  /** A webhook was notified of an earlier reward and not of its revocation: it would grant twice. */
  | { code: 'webhook_not_notified'; webhookId: string; rewardId: string };

/** The changes that a correction makes, in the form of those of a decision. */
export interface CorrectionChanges {
  give: RewardDraft[];
  amend: { from: EarlierReward; to: EarlierReward }[];
  adjust: { from: EarlierReward; amount: number }[];
  withdraw: EarlierReward[];
}

const nothing: CorrectionChanges = { give: [], amend: [], adjust: [], withdraw: [] };

/** Decides what a person's correction changes, or why it is refused. Pure. Each reward in the input has its holders. */
export function correctOrder(
  input: EvaluationInput,
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
  { order, referral, program, usage, rewards }: EvaluationInput,
  { role, type, unit, amount, subject, exceedLimits }: Extract<Correction, { kind: 'grant' }>,
): ReturnType<typeof correctOrder> {
  if (!referral) return { refusal: { code: 'member_not_linked' } };
  const memberId = role === 'referee' ? referral.refereeMemberId : referral.referrerMemberId;
  if (isErasedMember(memberId)) return { refusal: { code: 'member_erased' } };
  const limits = [
    ...(role === 'referrer' ? capChecks(usage, program.rule) : []),
    ...budgetChecks(usage.spent, amount, program.rule),
  ];
  const refusal =
    (exceedLimits ? undefined : limitRefusal(limits)) ??
    holderRefusal(
      rewards.filter(
        (reward) => reward.state === 'revoked' && reward.role === role && reward.orderId === order.orderId,
      ),
    );
  if (refusal) return { refusal };
  const draft: RewardDraft = {
    role,
    subject,
    memberId,
    type,
    unit,
    amount,
    holdDays: 0,
    confirmDueAt: null,
    pending: false,
    deliver: true,
  };
  return { changes: { ...nothing, give: [draft] } };
}

function adjust(
  { program, usage }: EvaluationInput,
  from: EarlierReward,
  { amount, exceedLimits }: Extract<Correction, { kind: 'adjust' }>,
): ReturnType<typeof correctOrder> {
  if (amount === from.amount) return { refusal: { code: 'amount_unchanged' } };
  const limits = amount > from.amount ? budgetChecks(usage.spent - from.amount, amount, program.rule) : [];
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
  const [check] = holderChecks(rewards);
  return (
    check && {
      code: 'webhook_not_notified',
      webhookId: String(check.value),
      rewardId: String(check.threshold),
    }
  );
}
