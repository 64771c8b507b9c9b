import type { DateTime } from './response.ts';

/** GET /home?range=; default `week`. Buckets are 1 hour of a day, 6 hours of a week, 1 day of a month. */
export type HomeRange = 'day' | 'week' | 'month';

export interface HomeFigures {
  /** Orders stored. */
  orders: number;
  rewards_confirmed: number;
  rewards_revoked: number;
  /** Deliveries created, and those of them that have been delivered. */
  deliveries: number;
  deliveries_succeeded: number;
  /** Duration of the attempts in milliseconds, of a sample where a bucket has more than 1,000; null without attempts. */
  p50_ms: number | null;
  p95_ms: number | null;
}

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
  checklist: {
    key_used: boolean;
    first_order: boolean;
    webhook_registered: boolean;
    signature_verified: boolean;
  };
}
