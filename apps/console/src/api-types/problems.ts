import type { ProblemKind, ProblemRow } from '@rewardhook/database';

export type { ProblemKind };

/** Which problems to list. */
export interface ProblemFilter {
  /** True: also those that were closed in the last 90 days. */
  all?: boolean;
}

/** Something that is wrong for the merchant, and that it can usually fix. A return within a day is the same problem, opened again. */
export type ProblemView = Omit<
  ProblemRow,
  'merchant_id' | 'acknowledged_until' | 'notified_at' | 'mailed_to'
>;
