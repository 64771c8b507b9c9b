import type { Redis } from './redis.ts';
import { prefixOfShard, shardOf } from './shards.ts';

// One round trip for all counters. A counter expires at the end of its window, which begins with its first count. A
// counter whose data Redis has lost starts again at zero.
const script = `
local counts = {}
for index, key in ipairs(KEYS) do
  redis.call('SET', key, 0, 'PX', ARGV[1], 'NX')
  counts[index] = { redis.call('INCR', key), redis.call('PTTL', key) }
end
return counts`;

/** A counter: its kind (`code`, `address`) and the short text, without secrets, that identifies it. */
export interface Counter {
  name: string;
  of: string;
}

/** The count in the current window, and the milliseconds until the window ends. */
export interface WindowCount {
  count: number;
  endsInMs: number;
}

/** Counts events in time windows. A window begins with the first event. */
export interface Velocity {
  /**
   * Increments each counter, and returns the new counts in the same order.
   * @throws when Redis is unavailable
   */
  count(merchantId: string, counters: Counter[]): Promise<WindowCount[]>;
}

const hourMs = 3_600_000;

/** Opens the counters. In a time span across two windows, up to twice the limit of one window can pass. */
export function openVelocity(
  redis: Redis,
  { prefix, shards = 1, windowMs = hourMs }: { prefix: string; shards?: number; windowMs?: number },
): Velocity {
  redis.defineCommand('countVelocity', { lua: script });
  const commands = redis as Redis & {
    countVelocity(keys: number, ...keysAndWindow: (string | number)[]): Promise<[number, number][]>;
  };
  return {
    async count(merchantId, counters) {
      // One shard, so that a cluster has all keys of the script on one node.
      const ofShard = prefixOfShard(prefix, shardOf(merchantId, shards));
      const keys = counters.map(({ name, of }) => `${ofShard}:velocity:${name}:${merchantId}:${of}`);
      const counts = await commands.countVelocity(keys.length, ...keys, windowMs);
      return counts.map(([count, endsInMs]) => ({ count, endsInMs }));
    },
  };
}

/** Maximum number of counters in the memory of a process. Beyond that the oldest are dropped. */
const maxLocalCounters = 100_000;

/**
 * Counts in Redis while it is available (`check` does not throw), otherwise in the memory of this process. During an
 * outage of Redis the limits apply to each process separately. Never fails.
 */
export function withLocalFallback(velocity: Velocity, check: () => void, windowMs = hourMs): Velocity {
  const local = new Map<string, { count: number; endsAt: number }>();
  const countLocally = (key: string): WindowCount => {
    const now = Date.now();
    const known = local.get(key);
    const counter = known && known.endsAt > now ? known : { count: 0, endsAt: now + windowMs };
    counter.count += 1;
    if (counter !== known) {
      local.delete(key);
      local.set(key, counter);
    }
    const oldest = local.size > maxLocalCounters ? local.keys().next().value : undefined;
    if (oldest !== undefined) local.delete(oldest);
    return { count: counter.count, endsInMs: counter.endsAt - now };
  };
  return {
    async count(merchantId, counters) {
      try {
        check();
        return await velocity.count(merchantId, counters);
      } catch {
        return counters.map(({ name, of }) => countLocally(`${merchantId} ${name} ${of}`));
      }
    },
  };
}
