import { deriveId } from '@rewardhook/contract';
import {
  daysAfter,
  hasEveryOrderRule,
  hasFirstOrderRule,
  isOfReferral,
  validDaysOf,
} from '@rewardhook/rewards';
import type {
  Decision,
  EarlierReward,
  EvaluationInput,
  ReasonCode,
  ReferralState,
  RewardDraft,
} from '@rewardhook/rewards';
import { issueEvent, revokeEvent } from './reward-event.ts';
import type { EvaluationRows } from './write-rows.ts';

/** The rows of a batch before its first decision. */
export function noRows(): EvaluationRows {
  return {
    decisions: [],
    rewards: [],
    amended: [],
    rescheduled: [],
    confirmed: [],
    withdrawn: [],
    adjusted: [],
    events: [],
    referredOrders: [],
    reevaluate: { orderIds: [], firstOrdersOf: [], allOrdersOf: [] },
  };
}

/** Whose decision it is, and its time: ISO 8601 in UTC with microseconds. */
export interface DecisionContext {
  merchantId: string;
  at: string;
}

/**
 * Adds the rows of one decision: the decision itself, its rewards and their events, all with the time `at`. Returns the rewards that it gives.
 */
export function addDecision(
  rows: EvaluationRows,
  input: EvaluationInput,
  decision: Decision,
  { merchantId, at }: DecisionContext,
): EarlierReward[] {
  const { order } = input;
  // An order whose member has no referral is evaluated only if its member was changed and the former one has a
  // referral.
  const referralId = input.referral?.id ?? decision.withdraw[0]?.referral.id;
  if (referralId === undefined) return [];
  rows.decisions.push({
    orderId: order.orderId,
    orderVersion: order.version,
    memberId: order.memberId,
    referralId,
    programVersion: decision.program.version,
    rule: decision.rule,
    outcome: decision.outcome,
    reason: decision.reason,
    checks: decision.checks,
    at,
  });
  for (const { reward, confirmDueAt } of decision.reschedule)
    rows.rescheduled.push({ id: reward.id, confirmDueAt });
  for (const { reward, deliver } of decision.confirm) {
    const expiresAt = expiryOf(validDaysOf(reward), at);
    rows.confirmed.push({ id: reward.id, at, expiresAt, blockedByOpenRevocation: !deliver });
    rows.events.push(issueEvent(merchantId, { ...reward, expiresAt }, order, deliver, at));
  }
  // One role alone loses its reward when its amount comes to 0.
  const reason = decision.outcome === 'withdrawn' ? decision.reason : 'nothing_to_give';
  return addChanges(rows, input, { ...decision, reason }, { merchantId, at });
}

/** What changes about the rewards of an order, under which version of the program, and why rewards are withdrawn. */
export type RewardChanges = Pick<Decision, 'program' | 'give' | 'amend' | 'adjust' | 'withdraw'> & {
  reason: ReasonCode;
};

/** Adds the rows of changed rewards with their events. Returns the rewards that are given. */
export function addChanges(
  rows: EvaluationRows,
  input: EvaluationInput,
  changes: RewardChanges,
  context: DecisionContext,
): EarlierReward[] {
  addWithdrawals(rows, input, changes, context);
  for (const { to } of changes.amend) rows.amended.push({ id: to.id, amount: to.amount, month: to.month });
  addAdjustments(rows, input, changes, context);
  return input.referral ? addRewards(rows, input, changes, input.referral, context) : [];
}

/** When a reward that is confirmed at this time expires; null for never. */
function expiryOf(validDays: number | null, at: string): string | null {
  return validDays === null ? null : daysAfter(at, validDays);
}

function addRewards(
  rows: EvaluationRows,
  { order, rewards: earlier }: EvaluationInput,
  { program, give }: RewardChanges,
  referral: ReferralState,
  { merchantId, at }: DecisionContext,
): EarlierReward[] {
  // Fields are written out: copying them with `...` took a third of the time of an evaluation.
  return give.map((draft) => {
    const { rule, role, subject, memberId, type, unit, amount, holdDays, confirmDueAt, pending, deliver } =
      draft;
    const expiresAt = pending ? null : expiryOf(draft.validDays, at);
    const id = rewardId(program.id, draft, earlier);
    const { orderId } = order;
    const month = order.month ?? '';
    const reward: EarlierReward = {
      id,
      role,
      subject,
      orderId,
      memberId,
      referral,
      type,
      amount,
      unit,
      month,
      program,
      rule,
      state: pending ? 'pending' : 'confirmed',
      holdDays,
      confirmDueAt,
      expiresAt,
      holdEnqueued: false,
      notifiedEndpoints: [],
      correction: null,
      issuedMemberId: null,
    };
    rows.rewards.push({
      id,
      programId: program.id,
      programVersion: program.version,
      rule,
      referralId: referral.id,
      linkSource: referral.source,
      linkNumber: referral.moves,
      subject,
      role,
      memberId,
      orderId,
      type,
      amount,
      unit,
      month,
      holdDays,
      confirmDueAt,
      expiresAt,
      pending,
      blockedByOpenRevocation: !pending && !deliver,
      at,
    });
    if (!pending) rows.events.push(issueEvent(merchantId, reward, order, deliver, at));
    return reward;
  });
}

/**
 * The id of a reward follows from what it is given for, so that a reward that is earned again after a restore keeps its
 * id and is not paid twice. One that is given again after its revocation is another reward: the earlier ones are counted.
 */
function rewardId(
  programId: string,
  { subject, role }: Pick<RewardDraft, 'subject' | 'role'>,
  earlier: EarlierReward[],
): string {
  const before = earlier.filter((reward) => reward.subject === subject && reward.role === role).length;
  return deriveId('rwd', programId, subject, role, String(before));
}

function addWithdrawals(
  rows: EvaluationRows,
  { order, program }: EvaluationInput,
  { withdraw, reason }: RewardChanges,
  { merchantId, at }: DecisionContext,
): void {
  // The order may earn a reward under the newest rule, or of its new member's referral.
  if (withdraw.length > 0) rows.reevaluate.orderIds.push(order.orderId);
  for (const reward of withdraw) {
    rows.withdrawn.push({ id: reward.id, at });
    if (isOfReferral(reward)) {
      // The referee of a referral that ended in a merge is an alias.
      const memberId = reward.referral.ended ? order.memberId : reward.referral.refereeMemberId;
      if (hasFirstOrderRule(program.terms)) rows.reevaluate.firstOrdersOf.push(memberId);
      // Under the version of the reward, the other orders had no rule that rewards each of them.
      if (hasEveryOrderRule(program.terms) && !hasEveryOrderRule(reward.program.terms))
        rows.reevaluate.allOrdersOf.push(memberId);
    }
    // The merchant is not notified of pending rewards, so there is nothing to revoke.
    if (reward.state === 'confirmed') rows.events.push(revokeEvent(merchantId, reward, order, reason, at));
  }
}

/**
 * Adds a revocation and a new reward for each reward with another amount. Everything but the amount is its predecessor's, and
 * nothing is evaluated again: no other order comes in between.
 */
function addAdjustments(
  rows: EvaluationRows,
  { order, rewards: earlier }: EvaluationInput,
  { adjust }: RewardChanges,
  { merchantId, at }: DecisionContext,
): void {
  for (const { from, amount } of adjust) {
    const id = rewardId(from.program.id, from, earlier);
    const reward = { ...from, id, amount, notifiedEndpoints: [], issuedMemberId: null };
    rows.withdrawn.push({ id: from.id, at });
    rows.events.push(revokeEvent(merchantId, from, order, 'amount_changed', at));
    rows.rewards.push({
      id: reward.id,
      programId: from.program.id,
      programVersion: from.program.version,
      rule: from.rule,
      referralId: from.referral.id,
      linkSource: from.referral.source,
      linkNumber: from.referral.moves,
      subject: from.subject,
      role: from.role,
      memberId: from.memberId,
      orderId: from.orderId,
      type: from.type,
      amount,
      unit: from.unit,
      month: from.month,
      holdDays: from.holdDays,
      confirmDueAt: from.confirmDueAt,
      // The members have had their points since the first one.
      expiresAt: from.expiresAt,
      pending: false,
      blockedByOpenRevocation: false,
      at,
    });
    rows.adjusted.push(from.id);
    rows.events.push(issueEvent(merchantId, reward, order, true, at));
  }
}
