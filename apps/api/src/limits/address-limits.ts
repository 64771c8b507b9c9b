import type { RequestHandler } from 'express';
import type { RateLimit, RateLimits } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';
import { rateLimited } from '../http/api-error.ts';

/** Maximum numbers per second of one client address; 0 means no limit. */
export interface AddressRates {
  /** Of boot requests, and separately of requests for share links. */
  requestsPerSecond: number;
  /** Of keys that the cache does not have and that turn out to be unknown. */
  unknownKeysPerSecond: number;
}

/** Limits what one client address can do without a secret key. An address is an IPv4 address or an IPv6 network (/64). */
export interface AddressLimits {
  /** Middleware for a public route: refuses requests of an address above the limit, with `rate_limited`. */
  limitRequests(route: string): RequestHandler;
  /**
   * Before a key is read from the database.
   * @throws ApiError `rate_limited` when the address has sent too many unknown keys
   */
  checkUnknownKeys(address: string | undefined): void;
  /** Counts an unknown key that was read from the database. */
  countUnknownKey(address: string | undefined): void;
}

/**
 * The burst, as seconds of the limit. Many people can share an address (a school, an office, a mobile network), and they
 * come at once when someone shares a link with all of them.
 */
const burstSeconds = 30;

/** Opens the limits. */
export function openAddressLimits(
  rateLimits: RateLimits,
  hashAddress: HashAddress,
  { requestsPerSecond, unknownKeysPerSecond }: AddressRates,
): AddressLimits {
  const limitOf = (name: string, perSecond: number): RateLimit | undefined =>
    perSecond === 0 ? undefined : { name, perSecond, burst: perSecond * burstSeconds };
  const unknownKeys = limitOf('unknown_keys', unknownKeysPerSecond);

  return {
    limitRequests(route) {
      const requests = limitOf(`address_${route}`, requestsPerSecond);
      return async ({ ip }, _response, next) => {
        if (requests && ip !== undefined) {
          const { allowed, retryAfterMs } = await rateLimits.charge(requests, hashAddress(ip));
          if (!allowed)
            throw rateLimited(
              'Too many requests from this address. Try again later.',
              retryAfterMs / 1_000,
              'address_requests',
            );
        }
        next();
      };
    },
    checkUnknownKeys(address) {
      if (!unknownKeys || address === undefined) return;
      const refusal = rateLimits.knownRefusal(unknownKeys, hashAddress(address));
      if (refusal)
        throw rateLimited(
          'Too many unknown keys were sent from this address. Try again later.',
          refusal.retryAfterMs / 1_000,
          'unknown_keys',
        );
    },
    countUnknownKey(address) {
      if (unknownKeys && address !== undefined) void rateLimits.charge(unknownKeys, hashAddress(address));
    },
  };
}
