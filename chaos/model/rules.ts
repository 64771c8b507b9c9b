import type { RuleEntry } from '../ledger/entries.ts';
import type { ShopHistory } from '../ledger/read-history.ts';
import type { FinalOrder } from './final-orders.ts';

export type Role = 'referee' | 'referrer';
export const roles: readonly Role[] = ['referee', 'referrer'];

/** What a role gets. */
export interface Benefit {
  type: string;
  unit: string;
  amount: { kind: 'fixed'; value: number } | { kind: 'percent'; rate: number; cap?: number | null };
}

/** A rule with all of its fields, after docs/rewards.md. */
export interface Rule {
  trigger: 'first_order' | 'every_order';
  referee: Benefit | null;
  referrer: Benefit | null;
  minimumPaidAmount: number;
  windowDays: number | null;
  holdDays: number;
  referrerCap: { total?: number | null; month?: number | null };
  budget: number | null;
  refunds: 'adjust' | 'keep';
  earlierOrders: 'ignore' | 'count';
}

const threeThousandPoints: Benefit = {
  type: 'points',
  unit: 'points',
  amount: { kind: 'fixed', value: 3_000 },
};

const defaultRule: Rule = {
  trigger: 'first_order',
  referee: threeThousandPoints,
  referrer: threeThousandPoints,
  minimumPaidAmount: 1,
  windowDays: null,
  holdDays: 0,
  referrerCap: {},
  budget: null,
  refunds: 'adjust',
  earlierOrders: 'ignore',
};

/** A published version, which came into force between `from` and `by`, and was replaced at the latest at `until`. */
export interface Version {
  version: number;
  rule: Rule;
  from: number;
  by: number;
  until: number;
}

/** The versions of the rule of a shop, by number. */
export function versionsOf({ rules }: Pick<ShopHistory, 'rules'>): Map<number, Version> {
  const inOrder = rules.toSorted((one, other) => one.version - other.version);
  return new Map(
    inOrder.map(({ version, rule, at, until: by }: RuleEntry, index) => {
      const until = inOrder[index + 1]?.until ?? Number.POSITIVE_INFINITY;
      return [
        version,
        { version, rule: { ...defaultRule, ...(rule as Partial<Rule>) }, from: at, by, until },
      ];
    }),
  );
}

/** The versions that can have been in force at some time between two. */
export function inForceBetween(versions: Map<number, Version>, from: number, until: number): Version[] {
  return [...versions.values()].filter((one) => one.from <= until && one.until >= from);
}

/** What a benefit gives for an amount paid, shipping not included. Integers, since a rate has two decimals at most. */
export function amountOf(benefit: Benefit | null, order: Pick<FinalOrder, 'paidWithoutShipping'>): number {
  if (benefit === null) return 0;
  const { amount } = benefit;
  if (amount.kind === 'fixed') return amount.value;
  const hundredths = BigInt(Math.round(amount.rate * 100));
  const earned = Number((BigInt(Math.max(0, order.paidWithoutShipping)) * hundredths) / 10_000n);
  return Math.min(earned, amount.cap ?? Number.POSITIVE_INFINITY);
}

/** Whether a limit of the rule can keep a role from getting its reward. */
export function isLimited({ rule }: Version, role: Role): boolean {
  const { total = null, month = null } = rule.referrerCap;
  return rule.budget !== null || (role === 'referrer' && (total !== null || month !== null));
}
