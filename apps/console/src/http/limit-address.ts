import type { RequestHandler } from 'express';
import type { OpenRateLimit } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';
import { rateLimited } from './console-error.ts';

/** The window. A class that signs up together in a school has one address. */
const seconds = 30;

/**
 * Middleware for public routes: refuses the requests of a client address (an IPv4 address or an IPv6 network) above the
 * limit, before anything is read. Sign-in, sign-up and mails have tighter limits of their own. 0 means no limit.
 */
export function limitAddress(
  openRateLimit: OpenRateLimit,
  hashAddress: HashAddress,
  perSecond: number,
): RequestHandler {
  const limit = openRateLimit({ name: 'console_address', points: perSecond * seconds, seconds });
  return async ({ ip }, _response, next) => {
    if (perSecond > 0 && ip !== undefined) {
      const { allowed, resetMs } = await limit.count(hashAddress(ip));
      if (!allowed) throw rateLimited(resetMs, 'address_requests');
    }
    next();
  };
}
