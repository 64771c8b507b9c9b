import type { ProblemKind } from '@rewardhook/contract/problems';
import type { MerchantProblemRow } from '@rewardhook/database';

export type { ProblemKind };

/** Which problems to list, the newest first; they are kept for 90 days after they were closed. */
export interface ProblemFilter {
  /** True: also those that were closed. */
  all?: boolean;
  /** True: only those that were closed, the last one first. */
  resolved?: boolean;
  kind?: ProblemKind;
  subject?: string;
}

/** Something that is wrong for the merchant, and that it can usually fix. A return within a day is the same problem, opened again. */
export type ProblemView = Pick<
  MerchantProblemRow,
  | 'id'
  | 'kind'
  | 'subject'
  | 'webhook_name'
  | 'webhook_host'
  | 'opened_at'
  | 'last_seen_at'
  | 'openings'
  | 'number'
  | 'failures'
  | 'oldest_at'
  | 'last_error'
  | 'resolved_at'
>;
