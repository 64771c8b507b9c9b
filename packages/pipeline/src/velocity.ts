import type { Redis } from './redis.ts';

// One round trip for all counters. A counter lives from its first count until the end of its window, so
// nothing stays behind, and one that was lost with Redis starts afresh.
const script = `
local counts = {}
for index, key in ipairs(KEYS) do
  redis.call('SET', key, 0, 'PX', ARGV[1], 'NX')
  counts[index] = { redis.call('INCR', key), redis.call('PTTL', key) }
end
return counts`;

/** Something that is counted: what (`code`, `address`) and which one, by a short text without secrets. */
export interface Counted {
  name: string;
  of: string;
}

/** How often something has happened in its window so far, and in how many milliseconds the window ends. */
export interface WindowCount {
  count: number;
  endsInMs: number;
}

/** Counts how often something happens, in windows that begin with the first time. */
export interface Velocity {
  /**
   * Counts one more for each, and returns the counts, this time included.
   * @throws when Redis is away
   */
  count(merchantId: string, counted: Counted[]): Promise<WindowCount[]>;
}

const hourMs = 3_600_000;

/** Opens the counters. Between two windows up to twice the count can pass in the length of one. */
export function openVelocity(redis: Redis, prefix: string, windowMs = hourMs): Velocity {
  redis.defineCommand('countVelocity', { lua: script });
  const commands = redis as Redis & {
    countVelocity(keys: number, ...keysAndWindow: (string | number)[]): Promise<[number, number][]>;
  };
  return {
    async count(merchantId, counted) {
      const keys = counted.map(({ name, of }) => `${prefix}:velocity:${name}:${merchantId}:${of}`);
      const counts = await commands.countVelocity(keys.length, ...keys, windowMs);
      return counts.map(([count, endsInMs]) => ({ count, endsInMs }));
    },
  };
}

/** Most counters that a process keeps; beyond that the oldest are forgotten. */
const mostCounters = 100_000;

/**
 * Counts in Redis while it answers (`check` does not throw), and else in this process alone: limits then hold for each
 * process by itself. Never fails.
 */
export function withLocalFallback(velocity: Velocity, check: () => void, windowMs = hourMs): Velocity {
  const here = new Map<string, { count: number; endsAt: number }>();
  const countHere = (key: string): WindowCount => {
    const now = Date.now();
    const known = here.get(key);
    const counter = known && known.endsAt > now ? known : { count: 0, endsAt: now + windowMs };
    counter.count += 1;
    if (counter !== known) {
      here.delete(key);
      here.set(key, counter);
    }
    const oldest = here.size > mostCounters ? here.keys().next().value : undefined;
    if (oldest !== undefined) here.delete(oldest);
    return { count: counter.count, endsInMs: counter.endsAt - now };
  };
  return {
    async count(merchantId, counted) {
      try {
        check();
        return await velocity.count(merchantId, counted);
      } catch {
        return counted.map(({ name, of }) => countHere(`${merchantId} ${name} ${of}`));
      }
    },
  };
}
