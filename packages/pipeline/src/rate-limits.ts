import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { Redis } from './redis.ts';
import { prefixOfShard, shardOf } from './shards.ts';

/** At most `points` within `seconds`. The window begins with the first count. */
export interface Limit {
  /** In keys of Redis: `key_requests`. */
  name: string;
  points: number;
  seconds: number;
}

/** What a client may still do. */
export interface LimitState {
  /** Whether the count passed; of a state that was read: whether the next one can. */
  allowed: boolean;
  remaining: number;
  /** Time until the limit is free again, in milliseconds. */
  resetMs: number;
}

/** Counts what clients do, over all processes. Never fails: while Redis is unavailable, each process counts for itself. */
export interface RateLimit {
  /**
   * Counts `cost` units (default 1) of one client, who is named without secrets. A cost above the limit passes when nothing else
   * was counted; then nothing more passes until the average is back at the limit.
   */
  count(of: string, cost?: number): Promise<LimitState>;
  /** The state, without counting. */
  read(of: string): Promise<LimitState>;
}

export type OpenRateLimit = (limit: Limit) => RateLimit;

/** Where the counts are, and `check`, which throws while Redis is unavailable. */
export interface RateLimitsOptions {
  prefix: string;
  shards?: number;
  check?: () => void;
}

/** Opens limits on the connection of a producer, whose commands fail at once while Redis is unavailable. */
export function openRateLimits(
  redis: Redis,
  { prefix, shards = 1, check = () => undefined }: RateLimitsOptions,
): OpenRateLimit {
  return ({ name, points, seconds }) => {
    const limit = { keyPrefix: '', points, duration: seconds };
    const inMemory = new RateLimiterMemory(limit);
    const inRedis = new RateLimiterRedis({
      ...limit,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      // Refusals are known without a call until the window ends.
      inMemoryBlockOnConsumed: points + 1,
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
    const isLarge = (cost: number) => points > 0 && cost > points;
    const keyOf = (of: string) => `${prefixOfShard(prefix, shardOf(of, shards))}:limit:${name}:${of}`;
    return {
      async count(of, cost = 1) {
        const limiter = available();
        const key = keyOf(of);
        try {
          if (!isLarge(cost)) return { allowed: true, ...stateOf(await limiter.consume(key, cost)) };
          await limiter.consume(key, points);
          const debt = await limiter.block(key, Math.ceil((cost * seconds) / points));
          return { allowed: true, remaining: 0, resetMs: debt.msBeforeNext };
        } catch (refusal) {
          if (refusal instanceof RateLimiterRes) return { allowed: false, ...stateOf(refusal) };
          throw refusal;
        }
      },
      async read(of) {
        const counted = await available().get(keyOf(of));
        return counted
          ? { allowed: counted.remainingPoints > 0, ...stateOf(counted) }
          : { allowed: points > 0, remaining: points, resetMs: 0 };
      },
    };
  };
}

const stateOf = ({ remainingPoints, msBeforeNext }: RateLimiterRes) => ({
  remaining: remainingPoints,
  resetMs: msBeforeNext,
});
