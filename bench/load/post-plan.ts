import type { OrdersPlan } from './make-orders.ts';

/** What the load generator sends, and at which rate. */
export interface PostPlan extends OrdersPlan {
  url: string;
  /** The keys of the merchants. Request number n is of merchant n modulo their number. */
  key: string | string[];
  /** Orders in a request, or the least and the greatest number: each request then has a size of its own. */
  batch: number | [number, number];
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
  /** Responses 503 and 429 before. */
  refused: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

/** One request of a plan: the orders `from` to `to` (exclusive) of one merchant. */
export interface PlannedRequest {
  from: number;
  to: number;
  /** The position of its merchant in `key`. */
  merchant: number;
}

/**
 * The requests of a plan: the same in every process. Sizes between two limits are log-uniform: as many requests between
 * 1 and 10 orders as between 100 and 1,000.
 */
export function planRequests({
  orders,
  batch,
  key,
}: Pick<PostPlan, 'orders' | 'batch' | 'key'>): PlannedRequest[] {
  const [least, most] = [batch].flat() as [number, number?];
  const merchants = [key].flat().length;
  const requests: PlannedRequest[] = [];
  let seed = 1;
  for (let from = 0; from < orders;) {
    // The generator of Park and Miller.
    seed = (seed * 48_271) % 2_147_483_647;
    const size = most === undefined ? least : Math.round(least * (most / least) ** (seed / 2_147_483_647));
    const to = Math.min(from + size, orders);
    requests.push({ from, to, merchant: requests.length % merchants });
    from = to;
  }
  return requests;
}
