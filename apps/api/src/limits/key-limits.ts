import type { RequestHandler, Response } from 'express';
import type { BucketState, RateLimit, RateLimits } from '@rewardhook/pipeline';
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
 * Opens the limits. Within any second a key can use at most its limit and, when it was idle before, the limit once more, plus the part
 * of one request above the burst.
 * Without a limit nothing is sent to Redis.
 */
export function openKeyLimits(
  rateLimits: RateLimits,
  { requestsPerSecond, ordersPerSecond }: KeyRates,
): KeyLimits {
  const requests = perSecond('requests', requestsPerSecond);
  const orders = perSecond('orders', ordersPerSecond);
  /** Shows the state in the headers of the response. @throws ApiError when the charge was refused */
  const admit = (response: Response, limit: KeyLimit, { allowed, ...state }: BucketState) => {
    const shown = (response.locals['shownLimits'] ??= []) as ShownLimit[];
    const { policy, perSecond: quota } = limit;
    shown.push({ policy, quota, windowSeconds: 1, remaining: state.remaining, resetMs: state.fullInMs });
    setRateLimitHeaders(response, shown);
    if (!allowed) throw rateLimited(refusalOf(limit), state.retryAfterMs / 1_000, limit.name);
  };

  return {
    async countRequest(_request, response, next) {
      if (requests) admit(response, requests, await rateLimits.charge(requests, ownerOf(response).keyId));
      next();
    },
    async countOrders(response, count) {
      if (orders) admit(response, orders, await rateLimits.charge(orders, ownerOf(response).keyId, count));
    },
  };
}

interface KeyLimit extends RateLimit {
  policy: 'requests' | 'orders';
  name: `key_${KeyLimit['policy']}`;
}

function perSecond(policy: KeyLimit['policy'], rate: number): KeyLimit | undefined {
  return rate === 0 ? undefined : { policy, name: `key_${policy}`, perSecond: rate, burst: rate };
}

function refusalOf({ policy, perSecond: rate }: KeyLimit): string {
  return policy === 'requests'
    ? `A key may send ${rate} requests a second. Send this one again after the seconds in Retry-After.`
    : `A key may send ${rate} orders a second. Nothing of this request was stored: send it again after the seconds in Retry-After.`;
}
