import { coalesce } from './coalesce.ts';
import type { Redis } from './redis.ts';

// The version is the greater of the last version + 1 and the clock in microseconds. So it never decreases, despite
// restarts, clock skew and several API processes; after Redis was emptied, the clock continues the sequence.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local first = math.max(last + 1, now)
redis.call('SET', KEYS[1], string.format('%.0f', first + ARGV[1] - 1))
return string.format('%.0f', first)`;

/** Assigns each accepted request its version: microseconds since 1970, strictly increasing. */
export interface Versions {
  next(): Promise<number>;
}

/** Maximum number of requests that share one call. */
const maxBatch = 1_000;

/** Opens the source of versions. Simultaneous requests share one call of the Redis script. */
export function openVersions(redis: Redis, prefix: string): Versions {
  redis.defineCommand('nextOrderVersions', { numberOfKeys: 1, lua: script });
  const commands = redis as Redis & { nextOrderVersions(key: string, count: number): Promise<string> };
  const assign = async (requests: undefined[]) => {
    const first = Number(await commands.nextOrderVersions(`${prefix}:order-version`, requests.length));
    return requests.map((_request, index) => first + index);
  };
  const next = coalesce(assign, { maxWeight: maxBatch, concurrency: 1, retryIndividually: false });
  return { next: () => next(undefined) };
}
