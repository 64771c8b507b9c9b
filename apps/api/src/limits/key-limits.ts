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

/** Limits the rates of each secret key, and of the merchants that have a limit of their own. Sets the `RateLimit` headers of the response. */
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
  /** Counts, and shows the state in the headers of the response. @throws ApiError when the limit is exceeded */
  const open = (of: 'key' | 'merchant', policy: Policy, perSecond: number) => {
    const name = `${of}_${policy}` as 'key_requests' | 'key_orders' | 'merchant_requests';
    const limit = openRateLimit({ name, points: perSecond, seconds: 1 });
    return async (response: Response, cost: number) => {
      if (perSecond === 0) return;
      const { keyId, merchantId } = ownerOf(response);
      const { allowed, remaining, resetMs } = await limit.count(of === 'key' ? keyId : merchantId, cost);
      const shown = (response.locals['shownLimits'] ??= []) as ShownLimit[];
      shown.push({ policy, quota: perSecond, windowSeconds: 1, remaining, resetMs });
      setRateLimitHeaders(response, shown);
      if (!allowed) throw rateLimited(refusals[policy](of, perSecond), resetMs / 1_000, name);
    };
  };
  const countRequests = open('key', 'requests', requestsPerSecond);
  const countOrders = open('key', 'orders', ordersPerSecond);
  /** By requests per second: the few values that operators have given to merchants. */
  const ofMerchants = new Map<number, typeof countRequests>();
  const ofMerchant = (perSecond: number) => {
    const opened = ofMerchants.get(perSecond) ?? open('merchant', 'requests', perSecond);
    ofMerchants.set(perSecond, opened);
    return opened;
  };
  return {
    async countRequest(_request, response, next) {
      const { requestsPerSecond: own } = ownerOf(response);
      await (own === null ? countRequests : ofMerchant(own))(response, 1);
      next();
    },
    countOrders,
  };
}

type Policy = 'requests' | 'orders';

const refusals: Record<Policy, (of: 'key' | 'merchant', rate: number) => string> = {
  requests: (of, rate) =>
    `A ${of} may send ${rate} requests a second. Send this one again after the seconds in Retry-After.`,
  orders: (of, rate) =>
    `A ${of} may send ${rate} orders a second. Nothing of this request was stored: send it again after the seconds in Retry-After.`,
};
