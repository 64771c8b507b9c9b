import type { ProblemKind } from '@rewardhook/contract/problems';
import type { DateTime, Page } from './response.ts';

export type { ProblemKind };

/** GET /problems, the newest first; they are kept for 90 days after they were closed. */
export interface ProblemsQuery {
  /** True: also those that were closed. */
  all?: boolean;
  /** True: only those that were closed, the last one first. */
  resolved?: boolean;
  kind?: ProblemKind;
  subject?: string;
  after?: string;
  limit?: number;
}

/** Something that is wrong for the merchant, and that it can usually fix. */
export interface ProblemView {
  id: string;
  kind: ProblemKind;
  /** The id of a webhook or signing key, or an error code; null when it is about the merchant. */
  subject: string | null;
  /** The host and port of the webhook that it is about; null for other kinds. */
  webhook_host: string | null;
  opened_at: DateTime;
  /** When its condition was last found. */
  last_seen_at: DateTime;
  /** How often it was opened: a return within a day is the same problem. */
  openings: number;
  /** How much: deliveries, requests, orders, referrals, or percent of the budget. */
  number: number;
  /** Failures in a row; null for other kinds than `webhook_failing`. */
  failures: number | null;
  /** When the oldest of the deliveries was created; null for kinds that are not about deliveries. */
  oldest_at: DateTime | null;
  /** An HTTP status or an error code. */
  last_error: string | null;
  resolved_at: DateTime | null;
}

export type ProblemPage = Page<ProblemView>;
