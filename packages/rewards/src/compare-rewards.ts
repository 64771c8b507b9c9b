import type { Role } from './facts.ts';

/** A reward, as far as it is compared. */
export interface ComparedReward {
  memberId: string;
  role: Role;
  orderId: string;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  /** What it can be given for once: `referral:<id>` or `order:<id>`. */
  subject: string;
}

/** What a member gains or loses, `amount` being the difference. */
export type Difference = Omit<ComparedReward, 'subject'>;

/** Rewards and what they come to, by unit. */
export interface Total {
  rewards: number;
  amounts: Record<string, number>;
}

/** Draft and current rewards side by side. */
export interface Comparison {
  draft: Total;
  current: Total;
  /** Draft minus current. */
  difference: Total;
  /** How many differences there are in all; the lists hold the first of them. */
  gainsInAll: number;
  lossesInAll: number;
  gains: Difference[];
  losses: Difference[];
}

/**
 * Compares the rewards that a draft gives with those that exist, order by order. Two rewards of one order and role
 * belong together; so do two for the same subject and role, since under the first-order rule it may be another order
 * of the referee that earns it. Where members, type and unit are the same only the difference of the amounts counts.
 */
export function openComparison(mostListed: number) {
  const draft = openTotal();
  const current = openTotal();
  const gains = openList(mostListed);
  const losses = openList(mostListed);
  /** Rewards of a referral that have no counterpart yet: it may come with a later order of the referee. */
  const unpaired = new Map<string, { draft?: ComparedReward; current?: ComparedReward }>();

  const settle = (given?: ComparedReward, had?: ComparedReward): void => {
    const alike =
      given && had && given.memberId === had.memberId && given.type === had.type && given.unit === had.unit;
    if (!alike) {
      if (given) gains.add(given, given.amount);
      if (had) losses.add(had, had.amount);
    } else if (given.amount > had.amount) gains.add(given, given.amount - had.amount);
    else if (given.amount < had.amount) losses.add(had, had.amount - given.amount);
  };
  const settleLone = (side: 'draft' | 'current', reward: ComparedReward): void => {
    if (!reward.subject.startsWith('referral:'))
      return side === 'draft' ? settle(reward) : settle(undefined, reward);
    const key = `${reward.role} ${reward.subject}`;
    const pair = { ...unpaired.get(key), [side]: reward };
    if (!pair.draft || !pair.current) return void unpaired.set(key, pair);
    unpaired.delete(key);
    settle(pair.draft, pair.current);
  };

  return {
    /** Adds one order's rewards: what the draft gives for it, and what exists for it. */
    add(given: ComparedReward[], existing: ComparedReward[]): void {
      given.forEach(draft.add);
      existing.forEach(current.add);
      for (const reward of given) {
        const had = existing.find(({ role }) => role === reward.role);
        if (had) settle(reward, had);
        else settleLone('draft', reward);
      }
      for (const had of existing)
        if (!given.some(({ role }) => role === had.role)) settleLone('current', had);
    },
    /** What came of it, once all orders are in. */
    result(): Comparison {
      for (const pair of unpaired.values()) settle(pair.draft, pair.current);
      unpaired.clear();
      return {
        draft: draft.total(),
        current: current.total(),
        difference: minus(draft.total(), current.total()),
        gainsInAll: gains.inAll(),
        lossesInAll: losses.inAll(),
        gains: gains.listed,
        losses: losses.listed,
      };
    },
  };
}

function openTotal() {
  let rewards = 0;
  const amounts = new Map<string, number>();
  return {
    add({ unit, amount }: ComparedReward): void {
      rewards += 1;
      amounts.set(unit, (amounts.get(unit) ?? 0) + amount);
    },
    total: (): Total => ({ rewards, amounts: Object.fromEntries(amounts) }),
  };
}

function openList(most: number) {
  let count = 0;
  const listed: Difference[] = [];
  return {
    listed,
    add({ memberId, role, orderId, type, unit }: ComparedReward, amount: number): void {
      count += 1;
      if (listed.length < most) listed.push({ memberId, role, orderId, type, amount, unit });
    },
    inAll: () => count,
  };
}

function minus(one: Total, other: Total): Total {
  const units = [...new Set([...Object.keys(one.amounts), ...Object.keys(other.amounts)])];
  const amounts = units.map((unit) => [unit, (one.amounts[unit] ?? 0) - (other.amounts[unit] ?? 0)]);
  return { rewards: one.rewards - other.rewards, amounts: Object.fromEntries(amounts) as Total['amounts'] };
}
