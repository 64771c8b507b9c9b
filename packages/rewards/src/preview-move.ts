import type { Difference } from './compare-rewards.ts';
import { openContenders } from './contenders.ts';
import { evaluateOrder } from './evaluate-order.ts';
import { firstOrderHolder } from './first-order-holder.ts';
import type { EarlierReward } from './evaluation-input.ts';
import { openUsageCounter } from './program-usage.ts';
import type { ProgramUsage } from './program-usage.ts';
import type { Program } from './program.ts';
import { simulatedReward } from './simulate.ts';
import type { SimulatedOrder } from './simulate.ts';

/** What evaluations take back and give after a link was moved. */
export interface MoveEffects {
  withdrawn: Difference[];
  given: Difference[];
}

/**
 * Decides what evaluations take back and give when the orders of a referee, oldest first, have a link that was moved: first what they
 * withdraw, then what they give in its place. Rewards that may be withdrawn have their notified endpoints. Changes `usage`. Pure otherwise.
 */
export function previewMove(due: SimulatedOrder[], program: Program, usage: ProgramUsage): MoveEffects {
  const counter = openUsageCounter(usage);
  const byId = new Map(due.map((one) => [one.order.orderId, one]));
  const evaluate = (one: SimulatedOrder, rewards: EarlierReward[], earlierFirstOrder: string | null) =>
    evaluateOrder({
      ...one,
      rewards,
      earlierFirstOrder,
      holder: firstOrderHolder({ ...one, rewards }, byId),
      program,
      usage: counter.limitsFor(one.referral?.referrerMemberId, one.order.month),
    });
  const withdrawn = new Map<string, EarlierReward>();
  const contenders = openContenders();
  for (const one of due) {
    const decision = evaluate(one, one.rewards, contenders.before(one));
    contenders.add(one, decision);
    for (const reward of decision.withdraw) {
      withdrawn.set(reward.id, reward);
      counter.remove(reward);
    }
  }
  const given: Difference[] = [];
  const ofReferral: EarlierReward[] = [];
  for (const one of due) {
    const { orderId, month } = one.order;
    const earlier = one.rewards.map((reward) => (withdrawn.has(reward.id) ? ended(reward) : reward));
    for (const draft of evaluate(one, [...earlier, ...ofReferral], null).give) {
      counter.add(draft, month);
      const { memberId, role, type, amount, unit, subject } = draft;
      given.push({ memberId, role, orderId, type, amount, unit });
      if (one.referral && subject === `referral:${one.referral.id}`)
        ofReferral.push(simulatedReward(one.referral, orderId, program));
    }
  }
  const taken = [...withdrawn.values()].map(({ memberId, role, orderId, type, amount, unit }) => ({
    ...{ memberId, role, orderId, type, amount, unit },
  }));
  return { withdrawn: taken, given };
}

const ended = (reward: EarlierReward): EarlierReward => ({
  ...reward,
  state: reward.state === 'confirmed' ? 'revoked' : 'cancelled',
});
