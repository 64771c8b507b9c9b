import { newId } from '@rewardhook/contract';
import type { JudgementRows } from '@rewardhook/database';
import { isUnderReview } from '@rewardhook/rewards';
import type { EarlierReward, Judgement, JudgementInput, ReferralFacts } from '@rewardhook/rewards';
import { rewardEvent } from './reward-event.ts';

/** The rows of a batch before anything was judged. */
export function emptyRows(): JudgementRows {
  return {
    decisions: [],
    rewards: [],
    confirmed: [],
    withdrawn: [],
    events: [],
    membersToReview: [],
  };
}

/** Adds the rows that follow from one judgement, all with one time. Returns the rewards it gave. */
export function writeJudgement(
  rows: JudgementRows,
  input: JudgementInput,
  judgement: Judgement,
  at: string,
): EarlierReward[] {
  const { order } = input;
  // Without a referral there was never one to judge by: only orders that move to another member get here.
  const referralId = input.referral?.id ?? judgement.withdraw[0]?.referral.id;
  if (referralId === undefined) return [];
  rows.decisions.push({
    orderId: order.orderId,
    orderVersion: order.version,
    memberId: order.memberId,
    referralId,
    programVersion: judgement.program.version,
    outcome: judgement.outcome,
    reason: judgement.reason,
    checks: judgement.checks,
    at,
  });
  withdraw(rows, input, judgement, at);
  for (const { reward, announce } of judgement.confirm) {
    rows.confirmed.push({ id: reward.id, at });
    rows.events.push(rewardEvent('reward.issue', reward, order, announce, at));
  }
  return input.referral ? give(rows, input, judgement, input.referral, at) : [];
}

function give(
  rows: JudgementRows,
  { order, program }: JudgementInput,
  judgement: Judgement,
  referral: ReferralFacts,
  at: string,
): EarlierReward[] {
  const { holdDays } = program.rule;
  const underReview = isUnderReview(referral);
  const pending = holdDays > 0 || underReview;
  // Written out, since copies by `...` took a third of the time that an order costs.
  return judgement.give.map((draft) => {
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
      issueTold: announce && !pending,
      revokeTold: false,
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

function withdraw(rows: JudgementRows, { order }: JudgementInput, judgement: Judgement, at: string): void {
  for (const reward of judgement.withdraw) {
    rows.withdrawn.push({ id: reward.id, at });
    rows.membersToReview.push(reward.referral.refereeMemberId, order.memberId);
    // Of a pending reward nobody was told.
    if (reward.state === 'confirmed') rows.events.push(rewardEvent('reward.revoke', reward, order, true, at));
  }
}
