import type { RequestHandler } from 'express';
import type { RateLimit, RateLimits } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';
import { rateLimited } from './console-error.ts';

/**
 * The burst, as seconds of the limit: a class that signs up together in a school has one address.
 */
const burstSeconds = 30;

/**
 * Middleware for public routes: refuses the requests of a client address (an IPv4 address or an IPv6 network) above the
 * limit, before anything is read. Sign-in, sign-up and mails have tighter limits of their own. 0 means no limit.
 */
export function limitAddress(
  rateLimits: RateLimits,
  hashAddress: HashAddress,
  perSecond: number,
): RequestHandler {
  const limit: RateLimit = { name: 'console_address', perSecond, burst: perSecond * burstSeconds };
  return async ({ ip }, _response, next) => {
    if (perSecond > 0 && ip !== undefined) {
      const { allowed, retryAfterMs } = await rateLimits.charge(limit, hashAddress(ip));
      if (!allowed) throw rateLimited(retryAfterMs, 'address_requests');
    }
    next();
  };
}
