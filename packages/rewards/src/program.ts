/** What one side of a referral gets. */
export interface Benefit {
  type: 'points' | 'coupon';
  /** What the amount counts, as the merchant calls it: `points`, or a coupon's name. */
  unit: string;
  /**
   * Fixed: `value` units. Percent: of the amount paid without shipping, rounded down; `rate` in percent (up to two
   * decimals), at most `cap` units where there is one.
   */
  amount: { kind: 'fixed'; value: number } | { kind: 'percent'; rate: number; cap: number | null };
}

/** A merchant's reward rule. A published version never changes. */
export interface ProgramRule {
  /** Which paid orders of the referee count. */
  trigger: 'first_order' | 'every_order';
  /** For the member who placed the order; null gives nothing. */
  referee: Benefit | null;
  /** For the member who brought the referee; null gives nothing. */
  referrer: Benefit | null;
  /** Least amount paid of an order that counts, in won. */
  minimumPaidAmount: number;
  /** Most days from the link to the order; null is no limit. */
  windowDays: number | null;
  /** Days that a reward waits before it is confirmed; 0 confirms at once. */
  holdDays: number;
  /** Most live rewards of one referrer in all, and of payments in one month; null is no limit. */
  referrerCap: { total: number | null; month: number | null };
  /** Most that all live rewards of the program may come to, in units of amount, both sides together. */
  budget: number | null;
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

/** The rule that a new merchant starts with: 3,000 points for each side at the referee's first paid order. */
export const defaultRule: ProgramRule = {
  trigger: 'first_order',
  referee: threeThousandPoints,
  referrer: threeThousandPoints,
  minimumPaidAmount: 0,
  windowDays: null,
  holdDays: 0,
  referrerCap: { total: null, month: null },
  budget: null,
};
