/** What one side of a referral gets. */
export interface Benefit {
  type: 'points' | 'coupon';
  /** What the amount counts, as the merchant calls it: `points`, or a coupon's name. */
  unit: string;
  /** More than 0, in `unit`. */
  amount: number;
}

/** A merchant's reward rule. A published version never changes. */
export interface ProgramRule {
  /** Which paid orders of the referee count. */
  trigger: 'first_order' | 'every_order';
  /** For the member who placed the order; null gives nothing. */
  referee: Benefit | null;
  /** For the member who brought the referee; null gives nothing. */
  referrer: Benefit | null;
  /** Least `paid_amount` of an order that counts, in won. */
  minimumPaidAmount: number;
}

/** A published version of a program. */
export interface Program {
  id: string;
  version: number;
  rule: ProgramRule;
}

/** The rule that a new merchant starts with: 3,000 points for each side at the referee's first paid order. */
export const defaultRule: ProgramRule = {
  trigger: 'first_order',
  referee: { type: 'points', unit: 'points', amount: 3_000 },
  referrer: { type: 'points', unit: 'points', amount: 3_000 },
  minimumPaidAmount: 0,
};
