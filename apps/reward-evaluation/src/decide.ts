import { laterOf } from '@rewardhook/database';
import type { DueOrder, EvaluationRows, ProgramUsage } from '@rewardhook/database';
import { evaluateOrder } from '@rewardhook/rewards';
import type { EarlierReward, Program } from '@rewardhook/rewards';
import { openLedger } from './ledger.ts';
import { emptyRows, writeJudgement } from './decision-rows.ts';

/**
 * Judges the orders of a batch, oldest first, and says what is to be written. Orders of one referee are evaluated
 * one after the other: a reward given to the first counts for the next, and once one was taken back the rest of
 * that referee's orders wait for the next round, which reads what this one wrote.
 */
export function decide(due: DueOrder[], program: Program, use: ProgramUsage, now: string): EvaluationRows {
  const rows = emptyRows();
  const ledger = openLedger(use);
  const givenTo = new Map<string, EarlierReward[]>();
  const underReview = new Set<string>();

  for (const waiting of due) {
    const { order, referral, earlierPaidOrder } = waiting;
    if (underReview.has(order.memberId)) continue;
    const given = givenTo.get(order.memberId);
    const input = {
      order,
      referral,
      program,
      earlierPaidOrder,
      rewards: given ? [...waiting.rewards, ...given] : waiting.rewards,
      given: ledger.givenTo(referral?.referrerMemberId, order.month),
    };
    const decision = evaluateOrder(input);
    const added = writeJudgement(rows, input, decision, laterOf(now, waiting.notBefore));
    if (added.length > 0) givenTo.set(order.memberId, given ? [...given, ...added] : added);
    for (const draft of decision.give) ledger.add(draft, order.month);
    if (decision.withdraw.length > 0) underReview.add(order.memberId);
  }
  return rows;
}
