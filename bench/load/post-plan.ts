import type { OrdersPlan } from './make-orders.ts';

/** What the load generator sends, and at which rate. */
export interface PostPlan extends OrdersPlan {
  url: string;
  key: string;
  /** Orders in a request. */
  batch: number;
  connections: number;
  /** Requests are sent at this rate, whether responses arrive or not; without it each follows the response before. */
  perSecond?: number | undefined;
  /** Sends the bodies repeatedly for this time; without it each is sent once. */
  seconds?: number;
}

export interface PostResult {
  /** Milliseconds since 1970 at the first POST. */
  startedAt: number;
  /** Requests that were answered with 202. */
  requests: number;
  /** Responses 503 before. */
  refused: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}
