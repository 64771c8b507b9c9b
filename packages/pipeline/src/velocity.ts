import type { Redis } from './redis.ts';

// One round trip for all counters. A counter lives from its first count until the end of its window, so
// nothing stays behind, and one that was lost with Redis starts afresh.
const script = `
local counts = {}
for index, key in ipairs(KEYS) do
  redis.call('SET', key, 0, 'PX', ARGV[1], 'NX')
  counts[index] = redis.call('INCR', key)
end
return counts`;

/** Something that is counted: what (`code`, `address`) and which one, by a short text without secrets. */
export interface Counted {
  name: string;
  of: string;
}

/** Counts how often something happens, in windows that begin with the first time. */
export interface Velocity {
  /**
   * Counts one more for each, and returns how often each has happened in its window so far, this time included.
   * @throws when Redis is away
   */
  count(merchantId: string, counted: Counted[]): Promise<number[]>;
}

/** Opens the counters. Between two windows up to twice the count can pass in the length of one. */
export function openVelocity(redis: Redis, prefix: string, windowMs = 3_600_000): Velocity {
  redis.defineCommand('countVelocity', { lua: script });
  const commands = redis as Redis & {
    countVelocity(keys: number, ...keysAndWindow: (string | number)[]): Promise<number[]>;
  };
  return {
    count(merchantId, counted) {
      const keys = counted.map(({ name, of }) => `${prefix}:velocity:${name}:${merchantId}:${of}`);
      return commands.countVelocity(keys.length, ...keys, windowMs);
    },
  };
}
