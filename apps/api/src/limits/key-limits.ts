import type { RequestHandler, Response } from 'express';
import type { OpenRateLimit } from '@rewardhook/pipeline';
import { setRateLimitHeaders } from '@rewardhook/process';
import type { ShownLimit } from '@rewardhook/process';
import { rateLimited } from '../http/api-error.ts';
import { ownerOf } from '../keys/authenticate.ts';

/** Maximum numbers per second of each secret key; 0 means no limit. */
export interface KeyRates {
  requestsPerSecond: number;
  ordersPerSecond: number;
}

/** Limits the rates of each secret key. Sets the `RateLimit` headers of the response. */
export interface KeyLimits {
  /** Middleware: counts the request before its body is read. */
  countRequest: RequestHandler;
  /** Counts the orders of a valid request before they are enqueued. @throws ApiError `rate_limited` */
  countOrders(response: Response, orders: number): Promise<void>;
}

/**
 * Opens the limits. A window begins with the first request and lasts a second, so within any second a key can use at most twice its
 * limit, plus the part of one request above it. Without a limit nothing is sent to Redis.
 */
export function openKeyLimits(
  openRateLimit: OpenRateLimit,
  { requestsPerSecond, ordersPerSecond }: KeyRates,
): KeyLimits {
  const open = (policy: Policy, perSecond: number) => {
    if (perSecond === 0) return undefined;
    const name = `key_${policy}` as const;
    const limit = openRateLimit({ name, points: perSecond, seconds: 1 });
    /** Counts, and shows the state in the headers of the response. @throws ApiError when the limit is exceeded */
    return async (response: Response, cost: number) => {
      const { allowed, remaining, resetMs } = await limit.count(ownerOf(response).keyId, cost);
      const shown = (response.locals['shownLimits'] ??= []) as ShownLimit[];
      shown.push({ policy, quota: perSecond, windowSeconds: 1, remaining, resetMs });
      setRateLimitHeaders(response, shown);
      if (!allowed) throw rateLimited(refusals[policy](perSecond), resetMs / 1_000, name);
    };
  };
  const countRequests = open('requests', requestsPerSecond);
  const countOrders = open('orders', ordersPerSecond);
  return {
    async countRequest(_request, response, next) {
      await countRequests?.(response, 1);
      next();
    },
    async countOrders(response, orders) {
      await countOrders?.(response, orders);
    },
  };
}

type Policy = 'requests' | 'orders';

const refusals: Record<Policy, (rate: number) => string> = {
  requests: (rate) =>
    `A key may send ${rate} requests a second. Send this one again after the seconds in Retry-After.`,
  orders: (rate) =>
    `A key may send ${rate} orders a second. Nothing of this request was stored: send it again after the seconds in Retry-After.`,
};
