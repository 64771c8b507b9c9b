import type { Role } from './referral.ts';

/** The fields of a reward that are compared. */
export interface ComparedReward {
  memberId: string;
  role: Role;
  orderId: string;
  type: 'points' | 'coupon';
  amount: number;
  unit: string;
  /** What the reward is given for, once per role: `referral:<id>` or `order:<id>`. */
  subject: string;
}

/** What a member gains or loses. `amount` is the difference. */
export type Difference = Omit<ComparedReward, 'subject'>;

/** A number of rewards, and the sums of their amounts by unit. */
export interface Total {
  rewards: number;
  amounts: Record<string, number>;
}

/** The rewards of a draft compared with those that exist. */
export interface Comparison {
  draft: Total;
  current: Total;
  /** Draft minus current. */
  difference: Total;
  /** The number of gains and losses; the lists hold the first of them. */
  gainsInAll: number;
  lossesInAll: number;
  gains: Difference[];
  losses: Difference[];
}

/**
 * Compares the rewards that a draft gives with those that exist, order by order. Two rewards with the same order and
 * role are a pair. So are two with the same subject and role: under the first-order rule, another order of the referee
 * may earn the reward of the referral. In a pair with the same member, type and unit, only the difference of the
 * amounts is a gain or a loss.
 */
export function openComparison(maxListed: number) {
  const draft = openTotal();
  const current = openTotal();
  const gains = openList(maxListed);
  const losses = openList(maxListed);
  /** Rewards of a referral without a counterpart so far. A later order of the referee may have it. */
  const unpaired = new Map<string, { draft?: ComparedReward; current?: ComparedReward }>();

  const compare = (drafted?: ComparedReward, existing?: ComparedReward): void => {
    const comparable =
      drafted &&
      existing &&
      drafted.memberId === existing.memberId &&
      drafted.type === existing.type &&
      drafted.unit === existing.unit;
    if (!comparable) {
      if (drafted) gains.add(drafted, drafted.amount);
      if (existing) losses.add(existing, existing.amount);
    } else if (drafted.amount > existing.amount) gains.add(drafted, drafted.amount - existing.amount);
    else if (drafted.amount < existing.amount) losses.add(existing, existing.amount - drafted.amount);
  };
  const compareUnpaired = (side: 'draft' | 'current', reward: ComparedReward): void => {
    if (!reward.subject.startsWith('referral:'))
      return side === 'draft' ? compare(reward) : compare(undefined, reward);
    const key = `${reward.role} ${reward.subject}`;
    const pair = { ...unpaired.get(key), [side]: reward };
    if (!pair.draft || !pair.current) return void unpaired.set(key, pair);
    unpaired.delete(key);
    compare(pair.draft, pair.current);
  };

  return {
    /** Adds the rewards of one order: those that the draft gives, and those that exist. */
    add(drafted: ComparedReward[], existing: ComparedReward[]): void {
      drafted.forEach(draft.add);
      existing.forEach(current.add);
      for (const reward of drafted) {
        const counterpart = existing.find(({ role }) => role === reward.role);
        if (counterpart) compare(reward, counterpart);
        else compareUnpaired('draft', reward);
      }
      for (const reward of existing)
        if (!drafted.some(({ role }) => role === reward.role)) compareUnpaired('current', reward);
    },
    /** Returns the comparison. Called once, after all orders were added. */
    result(): Comparison {
      for (const pair of unpaired.values()) compare(pair.draft, pair.current);
      unpaired.clear();
      return {
        draft: draft.total(),
        current: current.total(),
        difference: minus(draft.total(), current.total()),
        gainsInAll: gains.count(),
        lossesInAll: losses.count(),
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

function openList(maxListed: number) {
  let count = 0;
  const listed: Difference[] = [];
  return {
    listed,
    add({ memberId, role, orderId, type, unit }: ComparedReward, amount: number): void {
      count += 1;
      if (listed.length < maxListed) listed.push({ memberId, role, orderId, type, amount, unit });
    },
    count: () => count,
  };
}

function minus(one: Total, other: Total): Total {
  const units = [...new Set([...Object.keys(one.amounts), ...Object.keys(other.amounts)])];
  const amounts = units.map((unit) => [unit, (one.amounts[unit] ?? 0) - (other.amounts[unit] ?? 0)]);
  return { rewards: one.rewards - other.rewards, amounts: Object.fromEntries(amounts) as Total['amounts'] };
}
