import { withTimeout } from '@rewardhook/process';
import { LRUCache } from 'lru-cache';
import { commandTimeoutMs } from '../redis.ts';
import type { Redis } from '../redis.ts';
import { prefixOfShard, shardOf } from '../shards.ts';
import { chargeBucket, chargeOf, describeBucket, tolerance } from './token-bucket.ts';
import type { BucketState, Charge, RateLimit } from './token-bucket.ts';

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
export function openRateLimits(redis: Redis, options: RateLimitsOptions): RateLimits {
  const chargeInRedis = openRedisBuckets(redis, options);
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

// A bucket is how far it was ahead when it was written, and the time of that, in microseconds. The time is that of Redis, so
// that the clocks of the processes do not matter. The key expires when the bucket is full again. A refused charge writes
// nothing, unless the clock of Redis was set back: the bucket is then written with the new time, so that it fills up from there
// on.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local needed, taken = tonumber(ARGV[1]), tonumber(ARGV[2])
local ahead, at = string.match(redis.call('GET', KEYS[1]) or '', '(%S+) (%S+)')
local elapsed = now - (at or now)
ahead = math.max(0, (ahead or 0) - math.max(0, elapsed))
local allowed = ahead + needed <= tonumber(ARGV[3]) + ${tolerance}
if allowed then ahead = ahead + taken end
if allowed or elapsed < 0 then
  redis.call('SET', KEYS[1], string.format('%.17g %.0f', ahead, now), 'PX', math.max(1, math.ceil(ahead / 1000)))
end
return { allowed and 1 or 0, tostring(ahead) }`;

/** Charges a bucket, which is named by the part of its key after the prefix: whether it had the charge, and how far it is ahead. */
type ChargeBucket = (bucket: string, charge: Charge) => Promise<[boolean, number]>;

/** The buckets in Redis. @throws when Redis is unavailable */
function openRedisBuckets(
  redis: Redis,
  { prefix, shards = 1, check = () => undefined }: RateLimitsOptions,
): ChargeBucket {
  redis.defineCommand('chargeBucket', { numberOfKeys: 1, lua: script });
  const commands = redis as Redis & {
    chargeBucket(key: string, needed: number, taken: number, capacity: number): Promise<[number, string]>;
  };
  return async (bucket, { needed, taken, capacity }) => {
    check();
    const key = `${prefixOfShard(prefix, shardOf(bucket, shards))}:bucket:${bucket}`;
    const [allowed, ahead] = await withTimeout(
      commands.chargeBucket(key, needed, taken, capacity),
      commandTimeoutMs,
      'Redis did not answer',
    );
    return [allowed === 1, Number(ahead)];
  };
}

/** The buckets of this process, for the time without Redis. */
function openMemoryBuckets() {
  /** The time up to which each bucket is charged, in microseconds of `performance.now()`. */
  const buckets = new LRUCache<string, number>({ max: maxInMemory });
  return (bucket: string, charge: Charge): [boolean, number] => {
    const now = performance.now() * 1_000;
    const charged = chargeBucket(Math.max(0, (buckets.get(bucket) ?? 0) - now), charge);
    if (charged[0]) buckets.set(bucket, now + charged[1]);
    return charged;
  };
}
