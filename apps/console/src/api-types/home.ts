import type { DateTime } from './response.ts';

/** GET /home?range=; default `week`. Buckets are 1 hour of a day, 6 hours of a week, 1 day of a month. */
export type HomeRange = 'day' | 'week' | 'month';

export interface HomeFigures {
  /** Orders stored. */
  orders: number;
  rewards_confirmed: number;
  rewards_revoked: number;
  /** Deliveries made, and those of them that are delivered by now. */
  deliveries: number;
  deliveries_succeeded: number;
  /** Whole time of the attempts, in milliseconds; null without attempts. */
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface HomeBucket extends HomeFigures {
  /** When it begins; beginnings are even in the merchant's time zone. */
  at: DateTime;
}

/** Orders by the reason of their newest judgement, `rewarded` and `hold` included; each counts once, when it was made. */
export interface ReasonBucket {
  at: DateTime;
  counts: Record<string, number>;
}

export interface HomeView {
  range: HomeRange;
  timezone: string;
  /** Oldest first, without gaps; the last one is under way. */
  buckets: HomeBucket[];
  totals: HomeFigures;
  reasons: ReasonBucket[];
  /** What a new merchant has done by now. */
  checklist: {
    key_used: boolean;
    first_order: boolean;
    webhook_registered: boolean;
    signature_verified: boolean;
  };
}
