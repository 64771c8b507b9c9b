import { LRUCache } from 'lru-cache';
import type { Redis } from '../redis.ts';
import { openRedisBuckets } from './redis-buckets.ts';
import { chargeBucket, chargeOf, describeBucket } from './token-bucket.ts';
import type { BucketState, RateLimit } from './token-bucket.ts';

/** Limits the rates of what clients do, over all processes. */
export interface RateLimits {
  /**
   * Charges `cost` units (default 1) to the bucket of one client, if it has them. `of` names the client, without secrets.
   * Never fails: while Redis is unavailable, each process counts for itself.
   */
  charge(limit: RateLimit, of: string, cost?: number): Promise<BucketState>;
  /**
   * The state when this process knows from an earlier refusal that the charge would be refused; otherwise undefined.
   * Charges nothing and sends nothing.
   */
  knownRefusal(limit: RateLimit, of: string, cost?: number): BucketState | undefined;
}

/** Where the buckets are, and `check`, which throws while Redis is unavailable. */
export interface RateLimitsOptions {
  prefix: string;
  shards?: number;
  check?: () => void;
}

/** Maximum number of buckets, and of refusals, in the memory of a process; beyond it, those not used for longest are dropped. */
const maxInMemory = 50_000;

/** Opens the limits on the connection of a producer, whose commands fail at once while Redis is unavailable. */
export function openRateLimits(
  redis: Redis,
  { prefix, shards = 1, check = () => undefined }: RateLimitsOptions,
): RateLimits {
  const chargeInRedis = openRedisBuckets(redis, { prefix, shards, check });
  const chargeInMemory = openMemoryBuckets();
  const refusals = new LRUCache<string, { until: number; needed: number }>({ max: maxInMemory });

  const knownRefusal: RateLimits['knownRefusal'] = (limit, of, cost = 1) => {
    const bucket = `${limit.name}:${of}`;
    const refusal = refusals.get(bucket);
    if (!refusal) return undefined;
    const retryAfterMs = refusal.until - performance.now();
    if (retryAfterMs <= 0) {
      refusals.delete(bucket);
      return undefined;
    }
    const charge = chargeOf(limit, cost);
    if (charge.needed < refusal.needed) return undefined;
    const ahead = retryAfterMs * 1_000 + charge.capacity - refusal.needed;
    return describeBucket(limit, charge, false, ahead);
  };
  return {
    knownRefusal,
    async charge(limit, of, cost = 1) {
      const known = knownRefusal(limit, of, cost);
      if (known) return known;
      const bucket = `${limit.name}:${of}`;
      const charge = chargeOf(limit, cost);
      const [allowed, ahead] = await chargeInRedis(bucket, charge).catch(() =>
        chargeInMemory(bucket, charge),
      );
      const state = describeBucket(limit, charge, allowed, ahead);
      if (!allowed)
        refusals.set(bucket, { until: performance.now() + state.retryAfterMs, needed: charge.needed });
      return state;
    },
  };
}

/** The buckets of this process, for the time without Redis. */
function openMemoryBuckets() {
  /** The time up to which each bucket is charged, in microseconds of `performance.now()`. */
  const buckets = new LRUCache<string, number>({ max: maxInMemory });
  return (bucket: string, charge: ReturnType<typeof chargeOf>): [boolean, number] => {
    const now = performance.now() * 1_000;
    const charged = chargeBucket(Math.max(0, (buckets.get(bucket) ?? 0) - now), charge);
    if (charged[0]) buckets.set(bucket, now + charged[1]);
    return charged;
  };
}
