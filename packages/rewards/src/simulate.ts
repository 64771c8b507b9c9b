import { openComparison } from './compare-rewards.ts';
import type { Comparison } from './compare-rewards.ts';
import { evaluateOrder } from './evaluate-order.ts';
import { standsAfterMerge, isLive, isManual } from './evaluation-input.ts';
import type { EarlierReward, EvaluationInput } from './evaluation-input.ts';
import { openUsageCounter } from './program-usage.ts';
import type { ProgramUsage } from './program-usage.ts';
import type { Program } from './program.ts';
import type { ReasonCode } from './reasons.ts';
import type { ReferralState } from './referral.ts';

/** A stored order with its referral, and the rewards that exist now. */
export type SimulatedOrder = Pick<
  EvaluationInput,
  'now' | 'order' | 'referral' | 'earlierPaidOrder' | 'rewards'
>;

/** The result of a simulation. */
export interface SimulationReport extends Comparison {
  /** Number of orders. */
  orders: number;
  /** Number of orders by the reason code that the draft gives them. */
  reasons: Partial<Record<ReasonCode, number>>;
  /** What each rule of the draft gives, in their order: of one that no order reached, nothing. */
  rules: RuleTotal[];
}

/** The orders that a rule rewards, and the sums of the amounts by unit. */
export interface RuleTotal {
  id: string;
  orders: number;
  amounts: Record<string, number>;
}

/** Evaluates stored orders under a draft of a program. Orders are added in the order of their dates. */
export interface Simulation {
  add(simulated: SimulatedOrder): void;
  report(): SimulationReport;
}

/**
 * Opens a simulation. It starts without any reward, and with the limits as `used` says they are used, by default not at all: each order is
 * evaluated once, in its newest state, and the rewards it would get are compared with those that exist. Pure. Its memory grows with the
 * number of referrals, not of orders. The report lists at most `maxListed` gains and as many losses; it counts all.
 */
export function openSimulation(draft: Program, maxListed = 1_000, used?: ProgramUsage): Simulation {
  const usage = openUsageCounter(used);
  const comparison = openComparison(maxListed);
  const reasons: SimulationReport['reasons'] = {};
  /** Under the first-order rule: the id of the order that has the reward of a referral, by the referral's id. */
  const rewardedOrders = new Map<string, string>();
  const rules = openRuleTotals(draft);
  let orders = 0;

  const simulatedRewards = (referral: ReferralState | null): EarlierReward[] => {
    const orderId = referral && rewardedOrders.get(referral.id);
    return orderId ? [simulatedReward(referral, orderId, draft)] : [];
  };
  return {
    add({ now, order, referral, earlierPaidOrder, rewards }) {
      const { give, reason, rule } = evaluateOrder({
        now,
        order,
        referral,
        earlierPaidOrder,
        // Orders come oldest first, so the first one that earns has the reward.
        earlierFirstOrder: null,
        holder: 'earlier',
        program: draft,
        // What a person revoked stays closed under any rule, and what was given before a merge stays.
        rewards: [
          ...simulatedRewards(referral),
          ...rewards.filter((reward) => reward.correction === 'revoked' || standsAfterMerge(reward)),
        ],
        usage: usage.limitsFor(referral?.referrerMemberId, order.month),
      });
      orders += 1;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
      if (rule !== null && give.length > 0) rules.add(rule, give);
      for (const reward of give) usage.add(reward, order.month);
      if (referral && give.some(({ subject }) => subject === `referral:${referral.id}`))
        rewardedOrders.set(referral.id, order.orderId);
      comparison.add(
        give.map((reward) => ({ ...reward, orderId: order.orderId })),
        rewards.filter((reward) => isByRule(reward) && reward.orderId === order.orderId),
      );
    },
    report: () => ({ orders, reasons, rules: rules.totals(), ...comparison.result() }),
  };
}

function openRuleTotals({ terms }: Program) {
  const byId = new Map(
    terms.rules.map(({ id }) => [id, { id, orders: 0, amounts: new Map<string, number>() }]),
  );
  return {
    add(id: string, give: { unit: string; amount: number }[]): void {
      const rule = byId.get(id);
      if (!rule) return;
      rule.orders += 1;
      for (const { unit, amount } of give) rule.amounts.set(unit, (rule.amounts.get(unit) ?? 0) + amount);
    },
    totals: (): RuleTotal[] =>
      [...byId.values()].map(({ id, orders, amounts }) => ({
        id,
        orders,
        amounts: Object.fromEntries(amounts),
      })),
  };
}

/** Whether a live reward is one that the rule keeps or withdraws. */
const isByRule = (reward: EarlierReward) => isLive(reward) && !isManual(reward) && !standsAfterMerge(reward);

/** The reward that a referral has in the simulation. An evaluation reads its subject, state and order only. */
export function simulatedReward(referral: ReferralState, orderId: string, program: Program): EarlierReward {
  return {
    id: 'simulated',
    role: 'referee',
    subject: `referral:${referral.id}`,
    orderId,
    memberId: referral.refereeMemberId,
    referral,
    type: 'points',
    amount: 0,
    unit: '',
    month: '',
    program,
    rule: null,
    state: 'confirmed',
    holdDays: 0,
    confirmDueAt: null,
    expiresAt: null,
    holdEnqueued: false,
    notifiedEndpoints: [],
    correction: null,
    issuedMemberId: null,
  };
}
