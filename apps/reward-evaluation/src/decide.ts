import { newId } from '@rewardhook/contract';
import type { DueOrder, JudgementRows } from '@rewardhook/database';
import { judge } from '@rewardhook/rewards';
import type { EarlierReward, Judgement, ReferralFacts } from '@rewardhook/rewards';
import { rewardEvent } from './reward-event.ts';

/**
 * Judges the orders of a batch, oldest first, and says what is to be written. Orders of one referee are judged
 * one after the other: a reward given to the first counts for the next, and once one was taken back the rest of
 * that referee's orders wait for the next round, which reads what this one wrote.
 */
export function decide(due: DueOrder[]): JudgementRows {
  const rows: JudgementRows = {
    judged: [],
    decisions: [],
    rewards: [],
    revoked: [],
    events: [],
    membersToReview: [],
  };
  const givenTo = new Map<string, EarlierReward[]>();
  const underReview = new Set<string>();

  for (const waiting of due) {
    const { memberId } = waiting.order;
    if (underReview.has(memberId)) continue;
    const given = givenTo.get(memberId) ?? [];
    const input = { ...waiting, rewards: [...waiting.rewards, ...given] };
    const judgement = judge(input);
    givenTo.set(memberId, [...given, ...writeJudgement(rows, input, judgement)]);
    if (judgement.withdraw.length > 0) underReview.add(memberId);
  }
  return rows;
}

/** Adds the rows that follow from one judgement. Returns the rewards it gave. */
function writeJudgement(rows: JudgementRows, input: DueOrder, judgement: Judgement): EarlierReward[] {
  const { order, program } = input;
  rows.judged.push({ orderId: order.orderId, version: order.version });
  // Without a referral there was never one to judge by: only orders that move to another member get here.
  const referralId = input.referral?.id ?? judgement.withdraw[0]?.referral.id;
  if (referralId === undefined) return [];
  rows.decisions.push({
    id: newId('dec'),
    orderId: order.orderId,
    orderVersion: order.version,
    memberId: order.memberId,
    referralId,
    programVersion: program.version,
    outcome: judgement.outcome,
    reason: judgement.reason,
    checks: judgement.checks,
  });
  withdraw(rows, input, judgement);
  return input.referral ? give(rows, input, judgement, input.referral) : [];
}

function give(
  rows: JudgementRows,
  { order, program }: DueOrder,
  judgement: Judgement,
  referral: ReferralFacts,
): EarlierReward[] {
  return judgement.give.map(({ role, subject, memberId, benefit, announce }) => {
    const id = newId('rwd');
    const reward = {
      id,
      role,
      subject,
      memberId,
      orderId: order.orderId,
      programId: program.id,
      programVersion: program.version,
      ...benefit,
    };
    rows.rewards.push({ ...reward, referralId: referral.id });
    rows.events.push(
      rewardEvent(
        'reward.issue',
        { rewardId: id, role, memberId, benefit, referral, order, program },
        announce,
      ),
    );
    return { ...reward, referral, state: 'confirmed', issueTold: announce, revokeTold: false };
  });
}

function withdraw(rows: JudgementRows, { order }: DueOrder, judgement: Judgement): void {
  for (const { id, role, memberId, type, amount, unit, referral, ...reward } of judgement.withdraw) {
    const program = { id: reward.programId, version: reward.programVersion };
    const benefit = { type, amount, unit };
    rows.revoked.push(id);
    rows.membersToReview.push(referral.refereeMemberId, order.memberId);
    rows.events.push(
      rewardEvent('reward.revoke', { rewardId: id, role, memberId, benefit, referral, order, program }, true),
    );
  }
}
