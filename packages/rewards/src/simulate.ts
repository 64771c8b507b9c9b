import { openComparison } from './compare-rewards.ts';
import type { Comparison } from './compare-rewards.ts';
import type { Given, ReasonCode } from './checks.ts';
import { isLive } from './facts.ts';
import type { EarlierReward, ReferralState } from './facts.ts';
import { evaluateOrder } from './evaluate-order.ts';
import type { EvaluationInput, RewardDraft } from './evaluate-order.ts';
import type { Program } from './program.ts';

/** A stored order with what is known of its member, and the rewards that exist now. */
export type ReplayedOrder = Pick<EvaluationInput, 'order' | 'referral' | 'earlierPaidOrder' | 'rewards'>;

/** What a draft would have come to. */
export interface SimulationReport extends Comparison {
  /** Orders that were replayed. */
  orders: number;
  /** How many of them come to which reason under the draft. */
  reasons: Partial<Record<ReasonCode, number>>;
}

/** A replay of stored orders under a draft. Orders go in oldest first. */
export interface Simulation {
  add(replayed: ReplayedOrder): void;
  report(): SimulationReport;
}

/**
 * Opens a simulation on a clean sheet: as if nothing had been given yet, each order is evaluated once, in its newest
 * state, and its rewards are held against those that exist. Pure; what it keeps in memory grows with the referrals and
 * not with their orders. `mostListed` gains and losses are listed each, all are counted.
 */
export function openSimulation(draft: Program, mostListed = 1_000): Simulation {
  const sheet = openSheet();
  const comparison = openComparison(mostListed);
  const reasons: SimulationReport['reasons'] = {};
  /** Under the first-order rule: the order that has the reward of a referral, by the referral's id. */
  const rewardedOrders = new Map<string, string>();
  let orders = 0;

  const givenBefore = (referral: ReferralState | null): EarlierReward[] => {
    const orderId = referral && rewardedOrders.get(referral.id);
    return orderId ? [standIn(referral, orderId, draft)] : [];
  };
  return {
    add({ order, referral, earlierPaidOrder, rewards }) {
      const { give, reason } = evaluateOrder({
        order,
        referral,
        earlierPaidOrder,
        program: draft,
        rewards: givenBefore(referral),
        given: sheet.givenTo(referral?.referrerMemberId, order.month),
      });
      orders += 1;
      reasons[reason] = (reasons[reason] ?? 0) + 1;
      for (const reward of give) sheet.add(reward, order.month);
      if (give.length > 0 && referral && draft.rule.trigger === 'first_order')
        rewardedOrders.set(referral.id, order.orderId);
      comparison.add(
        give.map((reward) => ({ ...reward, orderId: order.orderId })),
        rewards.filter((reward) => isLive(reward) && reward.orderId === order.orderId),
      );
    },
    report: () => ({ orders, reasons, ...comparison.result() }),
  };
}

/** What the draft has given so far, counted as its limits need it. */
function openSheet() {
  let spent = 0;
  const byReferrer = new Map<string, { total: number; months: Map<string, number> }>();
  return {
    givenTo(referrerMemberId: string | undefined, month: string | null): Given {
      const referrer = byReferrer.get(referrerMemberId ?? '');
      return {
        referrerTotal: referrer?.total ?? 0,
        referrerMonth: referrer?.months.get(month ?? '') ?? 0,
        spent,
      };
    },
    add({ role, memberId, amount }: RewardDraft, month: string | null): void {
      spent += amount;
      if (role !== 'referrer') return;
      const referrer = byReferrer.get(memberId) ?? { total: 0, months: new Map<string, number>() };
      referrer.total += 1;
      referrer.months.set(month ?? '', (referrer.months.get(month ?? '') ?? 0) + 1);
      byReferrer.set(memberId, referrer);
    },
  };
}

/** The reward that a referral has by now. The rules look at its subject, state and order only; the rest fills in. */
function standIn(referral: ReferralState, orderId: string, program: Program): EarlierReward {
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
    state: 'confirmed',
    holdOver: true,
    issueNotified: false,
    revokeNotified: false,
  };
}
