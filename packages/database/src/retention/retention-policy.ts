/** For how many days rows are kept. docs/operations/back-up.md#retention describes what each number means for its tables. */
export interface RetentionPolicy {
  /** Attempts, from their start. At most `eventsDays`. */
  attemptsDays: number;
  /** Events and their deliveries, from the creation of the event. */
  eventsDays: number;
  /** Decisions, from when a later one superseded them. The newest one of an order is kept with the order. */
  decisionsDays: number;
  /** Notices about endpoints, from their creation, and invitations, from their end. */
  noticesDays: number;
  /** Replays, from their end. */
  replaysDays: number;
  /** Entries of the audit, from their time; at least 30. */
  auditDays: number;
}

/** Clicks are kept for the longest attribution window of any merchant and these days. */
export const clickMarginDays = 7;

/** The counts of clicks are kept for a year, with the days before it that it is compared with. */
export const clickCountDays = 400;

/** Requests are kept for a week, to find the cause of an error; how many were refused, for a quarter. */
export const requestDays = 7;
export const requestCountDays = 90;

/**
 * The width of new partitions, in days: a twelfth of what is kept. A table then exceeds a
 * policy of 12 days or more by less than a tenth, its empty partitions included.
 */
export const partitionDays = (keptDays: number) => Math.max(1, Math.min(31, Math.floor(keptDays / 12)));

export const dayMs = 24 * 60 * 60 * 1_000;
