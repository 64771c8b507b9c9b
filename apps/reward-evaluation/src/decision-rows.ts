import { newId } from '@rewardhook/contract';
import type { EvaluationRows } from '@rewardhook/database';
import { isUnderReview } from '@rewardhook/rewards';
import type { EarlierReward, Decision, EvaluationInput, ReferralState } from '@rewardhook/rewards';
import { rewardEvent } from './reward-event.ts';

/** The rows of a batch before anything was evaluated. */
export function emptyRows(): EvaluationRows {
  return {
    decisions: [],
    rewards: [],
    confirmed: [],
    withdrawn: [],
    events: [],
    membersToReevaluate: [],
  };
}

/** Adds the rows that follow from one decision, all with one time. Returns the rewards it gave. */
export function writeJudgement(
  rows: EvaluationRows,
  input: EvaluationInput,
  decision: Decision,
  at: string,
): EarlierReward[] {
  const { order } = input;
  // Without a referral there was never one to evaluateOrder by: only orders that move to another member get here.
  const referralId = input.referral?.id ?? decision.withdraw[0]?.referral.id;
  if (referralId === undefined) return [];
  rows.decisions.push({
    orderId: order.orderId,
    orderVersion: order.version,
    memberId: order.memberId,
    referralId,
    programVersion: decision.program.version,
    outcome: decision.outcome,
    reason: decision.reason,
    checks: decision.checks,
    at,
  });
  withdraw(rows, input, decision, at);
  for (const { reward, announce } of decision.confirm) {
    rows.confirmed.push({ id: reward.id, at });
    rows.events.push(rewardEvent('reward.issue', reward, order, announce, at));
  }
  return input.referral ? give(rows, input, decision, input.referral, at) : [];
}

function give(
  rows: EvaluationRows,
  { order, program }: EvaluationInput,
  decision: Decision,
  referral: ReferralState,
  at: string,
): EarlierReward[] {
  const { holdDays } = program.rule;
  const underReview = isUnderReview(referral);
  const pending = holdDays > 0 || underReview;
  // Written out, since copies by `...` took a third of the time that an order costs.
  return decision.give.map((draft) => {
    const { role, subject, memberId, type, unit, amount, announce } = draft;
    const id = newId('rwd');
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
      state: pending ? 'pending' : 'confirmed',
      holdOver: holdDays === 0,
      issueNotified: announce && !pending,
      revokeNotified: false,
    };
    rows.rewards.push({
      id,
      programId: program.id,
      programVersion: program.version,
      referralId: referral.id,
      subject,
      role,
      memberId,
      orderId,
      type,
      amount,
      unit,
      month,
      holdDays,
      underReview,
      at,
    });
    if (!pending) rows.events.push(rewardEvent('reward.issue', reward, order, announce, at));
    return reward;
  });
}

function withdraw(rows: EvaluationRows, { order }: EvaluationInput, decision: Decision, at: string): void {
  for (const reward of decision.withdraw) {
    rows.withdrawn.push({ id: reward.id, at });
    rows.membersToReevaluate.push(reward.referral.refereeMemberId, order.memberId);
    // Of a pending reward nobody was told.
    if (reward.state === 'confirmed') rows.events.push(rewardEvent('reward.revoke', reward, order, true, at));
  }
}
