import type { ActivityRow, Checklist } from '@rewardhook/database';
import type { DateTime } from './response.ts';

/** Buckets are 1 hour of a day, 6 hours of a week, 1 day of a month. The default is a week. */
export type HomeRange = 'day' | 'week' | 'month';

/** Orders stored, rewards, deliveries created and those of them that have been delivered, and the duration of their attempts. */
export type HomeFigures = Omit<ActivityRow, 'at' | 'reasons'>;

export interface HomeBucket extends HomeFigures {
  /** The start of the bucket, aligned in the merchant's time zone. */
  at: DateTime;
}

/**
 * Orders by the reason of their decision, including `rewarded` and `hold`, at its time. When an order is decided again within two
 * days, only the later decision counts.
 */
export interface ReasonBucket {
  at: DateTime;
  counts: Record<string, number>;
}

export interface HomeView {
  range: HomeRange;
  timezone: string;
  /** Oldest first, without gaps; the last one is not complete yet. */
  buckets: HomeBucket[];
  totals: HomeFigures;
  reasons: ReasonBucket[];
  /** The completed steps of a new merchant. */
  checklist: Checklist;
}
