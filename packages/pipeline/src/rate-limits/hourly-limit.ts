import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from '../redis.ts';
import type { RateLimitsOptions } from './rate-limits.ts';

/** Counts what may happen only so many times in an hour. The hour begins with the first count. */
export interface HourlyLimit {
  /**
   * Counts once for the merchant, or for one thing of the merchant, which is named without secrets. Returns undefined up to
   * the limit, and the milliseconds until the hour ends above it. Never fails: while Redis is unavailable, each process counts
   * for itself.
   */
  count(merchantId: string, of?: string): Promise<number | undefined>;
}

/** Opens the limit `name` of `points` in an hour. */
export type OpenHourlyLimit = (name: string, points: number) => HourlyLimit;

const hourSeconds = 3_600;

/** Opens limits that are counted in Redis for all processes. */
export function openHourlyLimit(
  redis: Redis,
  { prefix, check = () => undefined }: RateLimitsOptions,
): OpenHourlyLimit {
  return (name, points) => {
    const limit = { keyPrefix: `${prefix}:hourly:${name}`, points, duration: hourSeconds };
    const inMemory = new RateLimiterMemory(limit);
    const inRedis = new RateLimiterRedis({
      ...limit,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      inMemoryBlockOnConsumed: points,
      insuranceLimiter: inMemory,
    });
    /** A Redis that hangs is still connected: without the check each count would wait for its command to time out. */
    const available = () => {
      try {
        check();
        return inRedis;
      } catch {
        return inMemory;
      }
    };
    return {
      async count(merchantId, of = 'all') {
        try {
          await available().consume(`${merchantId}:${of}`);
          return undefined;
        } catch (refusal) {
          if (refusal instanceof RateLimiterRes) return refusal.msBeforeNext;
          throw refusal;
        }
      },
    };
  };
}
