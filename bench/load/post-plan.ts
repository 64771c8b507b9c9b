import type { OrdersPlan } from './make-orders.ts';

/** What the load generator sends, and how. */
export interface PostPlan extends OrdersPlan {
  url: string;
  key: string;
  /** Orders in a request. */
  batch: number;
  connections: number;
  /** Requests are sent at this rate, whether answers come or not; without it as fast as answers come. */
  perSecond?: number | undefined;
  /** Goes on for so long, sending the bodies again and again; without it each is sent once. */
  seconds?: number;
}

export interface PostResult {
  /** Milliseconds since 1970 at the first POST. */
  startedAt: number;
  /** Those that were answered with 202. */
  requests: number;
  /** 503s on the way there. */
  refused: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}
