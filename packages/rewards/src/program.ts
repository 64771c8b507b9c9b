/** What one role of a referral gets. */
export interface Benefit {
  type: 'points' | 'coupon';
  /** The merchant's name for what is counted: `points`, or a coupon's name. */
  unit: string;
  /**
   * Fixed: `value` units. Percent: `rate` percent (at most two decimals) of the amount paid without shipping, rounded
   * down; at most `cap` units, unless it is null.
   */
  amount: { kind: 'fixed'; value: number } | { kind: 'percent'; rate: number; cap: number | null };
}

/** A merchant's reward rule. A published version never changes. */
export interface ProgramRule {
  /** `first_order` rewards a referral once, `every_order` rewards each order. */
  trigger: 'first_order' | 'every_order';
  /** The reward of the member who placed the order; null for none. */
  referee: Benefit | null;
  /** The reward of the referrer; null for none. */
  referrer: Benefit | null;
  /** Minimum amount paid for the order, shipping included, in won. */
  minimumPaidAmount: number;
  /** Maximum days from the link to the order; null for no limit. */
  windowDays: number | null;
  /** Days until a reward is confirmed; 0 confirms it immediately. */
  holdDays: number;
  /** Maximum live rewards of one referrer, in total and for payments in one month; null for no limit. */
  referrerCap: { total: number | null; month: number | null };
  /** Maximum sum of all live rewards of the program, in units of amount, both roles together; null for no limit. */
  budget: number | null;
  /** Whether a confirmed amount of points follows its order (`adjust`), or stands as long as the order earns a reward (`keep`). */
  refunds: 'adjust' | 'keep';
  /** Whether an order that was placed before its member was linked can earn a reward (`count`), or never does (`ignore`). */
  earlierOrders: 'count' | 'ignore';
}

/** A published version of a program. */
export interface Program {
  id: string;
  version: number;
  rule: ProgramRule;
}

const threeThousandPoints: Benefit = {
  type: 'points',
  unit: 'points',
  amount: { kind: 'fixed', value: 3_000 },
};

/** The rule of a new merchant's program: 3,000 points for each side for the referee's first paid order. */
export const defaultRule: ProgramRule = {
  trigger: 'first_order',
  referee: threeThousandPoints,
  referrer: threeThousandPoints,
  minimumPaidAmount: 1,
  windowDays: null,
  holdDays: 0,
  referrerCap: { total: null, month: null },
  budget: null,
  refunds: 'adjust',
  earlierOrders: 'ignore',
};

type YoungField = 'refunds' | 'earlierOrders';

/** A rule as it is stored. A field that it lacks is younger than the rule, which keeps its meaning. */
export type StoredRule = Omit<ProgramRule, YoungField> & Partial<Pick<ProgramRule, YoungField>>;

/** Completes a stored rule. */
export function readRule(stored: StoredRule): ProgramRule {
  return { refunds: 'keep', earlierOrders: 'count', ...stored };
}

/** The paths (`referee.amount.value`) of the fields in which two rules differ. */
export function ruleDifferences(one: ProgramRule, other: ProgramRule): string[] {
  return differences(one, other, '');
}

function differences(one: unknown, other: unknown, path: string): string[] {
  if (!isObject(one) || !isObject(other)) return one === other ? [] : [path];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
    differences(one[key], other[key], path === '' ? key : `${path}.${key}`),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
