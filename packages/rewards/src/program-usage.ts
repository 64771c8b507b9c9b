import type { Role } from './referral.ts';

/** What counts against the limits of a program: the live rewards under all its versions. */
export interface ProgramUsage {
  /** Sum of the amounts of all live rewards. */
  spent: number;
  /** Number of live rewards of each referrer, in total and by month of the payment (`2026-11`). */
  byReferrer: Map<string, { total: number; months: Map<string, number> }>;
}

/** What counts against the limits of one order. */
export interface LimitUsage {
  /** Live rewards of the order's referrer, in total and in the order's month. */
  referrerTotal: number;
  referrerMonth: number;
  /** Sum of the amounts of all live rewards. */
  spent: number;
}

/** What counts against the limits of an order of a referral in a month, without these live rewards. */
export function usageWithout(
  usage: LimitUsage,
  rewards: readonly (CountedReward & { month: string })[],
  { referral, month }: { referral: { referrerMemberId: string }; month: string | null },
): LimitUsage {
  const ofReferrer = rewards.filter(
    ({ role, memberId }) => role === 'referrer' && memberId === referral.referrerMemberId,
  );
  return {
    referrerTotal: usage.referrerTotal - ofReferrer.length,
    referrerMonth: usage.referrerMonth - ofReferrer.filter((reward) => reward.month === month).length,
    spent: usage.spent - rewards.reduce((sum, { amount }) => sum + amount, 0),
  };
}

/** A reward, as far as limits count it. */
interface CountedReward {
  role: Role;
  memberId: string;
  amount: number;
}

/** Counts the rewards that one run of evaluations gives and withdraws, on top of those that existed before. */
export interface UsageCounter {
  limitsFor(referrerMemberId: string | undefined, month: string | null): LimitUsage;
  add(reward: CountedReward, month: string | null): void;
  remove(reward: CountedReward & { month: string }): void;
}

/** Opens a counter. It starts from `usage`, which it changes, or from zero. */
export function openUsageCounter(usage: ProgramUsage = { spent: 0, byReferrer: new Map() }): UsageCounter {
  const { byReferrer } = usage;
  const count = ({ role, memberId, amount }: CountedReward, month: string | null, rewards: 1 | -1) => {
    usage.spent += rewards * amount;
    if (role !== 'referrer') return;
    // The usage has the referrers of all orders of the run. Another one can only lose a reward, of an order that has moved.
    if (rewards < 0 && !byReferrer.has(memberId)) return;
    const referrer = byReferrer.get(memberId) ?? { total: 0, months: new Map<string, number>() };
    referrer.total += rewards;
    referrer.months.set(month ?? '', (referrer.months.get(month ?? '') ?? 0) + rewards);
    byReferrer.set(memberId, referrer);
  };
  return {
    limitsFor(referrerMemberId, month) {
      const referrer = byReferrer.get(referrerMemberId ?? '');
      return {
        referrerTotal: referrer?.total ?? 0,
        referrerMonth: referrer?.months.get(month ?? '') ?? 0,
        spent: usage.spent,
      };
    },
    add: (reward, month) => count(reward, month, 1),
    remove: (reward) => count(reward, reward.month, -1),
  };
}
