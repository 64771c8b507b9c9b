import type { Redis } from './redis.ts';

// The greater of last + 1 and the clock in microseconds: it never goes back across API instances, restarts
// and clock skew, and after an emptied Redis the clock carries on where it was.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local version = math.max(last + 1, now)
local text = string.format('%.0f', version)
redis.call('SET', KEYS[1], text)
return text`;

/** Gives each accepted request its version: microseconds since 1970, strictly rising. */
export interface Versions {
  next(): Promise<number>;
}

/** Opens the one atomic place that versions come from. */
export function openVersions(redis: Redis, prefix: string): Versions {
  redis.defineCommand('nextOrderVersion', { numberOfKeys: 1, lua: script });
  const commands = redis as Redis & { nextOrderVersion(key: string): Promise<string> };
  return { next: async () => Number(await commands.nextOrderVersion(`${prefix}:order-version`)) };
}
