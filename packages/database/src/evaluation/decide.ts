import {
  evaluateOrder,
  firstOrderHolder,
  hasFirstOrderRule,
  hasEarned,
  holdsReferral,
  isOfReferral,
  laterOf,
  openContenders,
  openUsageCounter,
} from '@rewardhook/rewards';
import type { EarlierReward, Program, ProgramUsage } from '@rewardhook/rewards';
import { addDecision, noRows } from './decision-rows.ts';
import type { DueOrder } from './read-facts.ts';
import { referredOrderOf } from './referred-orders.ts';
import type { EvaluationRows } from './write-rows.ts';

/**
 * Evaluates the orders of a batch, oldest first, under a program, at `now` by the database's clock, and returns the rows to write. A reward
 * given to one order of a referee counts when the next one is evaluated. Once the reward of a referral is withdrawn, the rest of that
 * referee's orders are left to the next batch, which reads what this one wrote.
 */
export function decide(
  due: DueOrder[],
  program: Program,
  usage: ProgramUsage,
  { merchantId, now }: { merchantId: string; now: string },
): EvaluationRows {
  const rows = noRows();
  const counter = openUsageCounter(usage);
  const contenders = openContenders();
  const givenInBatch = new Map<string, EarlierReward[]>();
  const membersLeft = new Set<string>();
  const byId = new Map(due.map((one) => [one.order.orderId, one]));

  for (const one of due) {
    const { order, referral, earlierPaidOrder, rewards, notBefore } = one;
    if (membersLeft.has(order.memberId)) {
      rows.reevaluate.orderIds.push(order.orderId);
      continue;
    }
    const given = givenInBatch.get(order.memberId);
    const known = given ? [...rewards, ...given] : rewards;
    const input = {
      now,
      order,
      referral,
      program,
      earlierPaidOrder,
      earlierFirstOrder: contenders.before(one),
      holder: firstOrderHolder({ ...one, rewards: known }, byId),
      rewards: known,
      usage: counter.limitsFor(referral?.referrerMemberId, order.month),
    };
    const decision = evaluateOrder(input);
    contenders.add(one, decision);
    const kept = rewards.filter((reward) => !decision.withdraw.includes(reward));
    const earned = decision.give.length > 0 || hasEarned(order, kept);
    rows.referredOrders.push(
      referredOrderOf(one, { programVersion: decision.program.version, hasEarned: earned }),
    );
    const added = addDecision(rows, input, decision, { merchantId, at: laterOf(now, notBefore) });
    if (added.length > 0) givenInBatch.set(order.memberId, given ? [...given, ...added] : added);
    for (const draft of decision.give) counter.add(draft, order.month);
    for (const reward of decision.withdraw) counter.remove(reward);
    for (const { from, to } of decision.amend) {
      counter.remove(from);
      counter.add(to, to.month);
    }
    for (const { from, amount } of decision.adjust) {
      counter.remove(from);
      counter.add({ ...from, amount }, from.month);
    }
    // The reward of an order does not affect other orders.
    if (decision.withdraw.some(isOfReferral)) membersLeft.add(order.memberId);
    if (hasFirstOrderRule(program.terms) && mayHaveMovedBehind(one))
      rows.reevaluate.firstOrdersOf.push(order.memberId);
  }
  return rows;
}

/**
 * Whether an order with the reward of its referral may have got a later date, so that a marked order is before it now which was after
 * it when it was evaluated. The earliest orders are related, and evaluated with it. Asked once for each version of the order.
 */
function mayHaveMovedBehind({ order, earlierPaidOrder, decidedVersion, rewards }: DueOrder): boolean {
  return (
    decidedVersion !== order.version &&
    earlierPaidOrder !== null &&
    order.firstOrder &&
    holdsReferral(order, rewards)
  );
}
