import type { RequestHandler } from 'express';
import type { OpenRateLimit } from '@rewardhook/pipeline';
import type { HashAddress } from '@rewardhook/process';
import { rateLimited } from '../http/api-error.ts';

/** Maximum numbers per second of one client address, 30 seconds of them at once; 0 means no limit. */
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
  checkUnknownKeys(address: string | undefined): Promise<void>;
  /** Counts an unknown key that was read from the database. */
  countUnknownKey(address: string | undefined): void;
}

/**
 * The window. Many people can share an address (a school, an office, a mobile network), and they come at once when someone shares a
 * link with all of them.
 */
const seconds = 30;

/** Opens the limits. */
export function openAddressLimits(
  openRateLimit: OpenRateLimit,
  hashAddress: HashAddress,
  { requestsPerSecond, unknownKeysPerSecond }: AddressRates,
): AddressLimits {
  const open = (name: string, perSecond: number) =>
    perSecond === 0 ? undefined : openRateLimit({ name, points: perSecond * seconds, seconds });
  const unknownKeys = open('unknown_keys', unknownKeysPerSecond);

  return {
    limitRequests(route) {
      const requests = open(`address_${route}`, requestsPerSecond);
      return async ({ ip }, _response, next) => {
        const state = ip === undefined ? undefined : await requests?.count(hashAddress(ip));
        if (state?.allowed === false)
          throw rateLimited(
            'Too many requests from this address. Try again later.',
            state.resetMs / 1_000,
            'address_requests',
          );
        next();
      };
    },
    async checkUnknownKeys(address) {
      const state = address === undefined ? undefined : await unknownKeys?.read(hashAddress(address));
      if (state?.allowed === false)
        throw rateLimited(
          'Too many unknown keys were sent from this address. Try again later.',
          state.resetMs / 1_000,
          'unknown_keys',
        );
    },
    countUnknownKey(address) {
      if (address !== undefined) void unknownKeys?.count(hashAddress(address));
    },
  };
}
