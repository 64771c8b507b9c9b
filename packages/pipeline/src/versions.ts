import { coalesce } from './coalesce.ts';
import type { Redis } from './redis.ts';

// The greater of last + 1 and the clock in microseconds: it never goes back across API instances, restarts
// and clock skew, and after an emptied Redis the clock carries on where it was.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
local first = math.max(last + 1, now)
redis.call('SET', KEYS[1], string.format('%.0f', first + ARGV[1] - 1))
return string.format('%.0f', first)`;

/** Gives each accepted request its version: microseconds since 1970, strictly rising. */
export interface Versions {
  next(): Promise<number>;
}

/** Most requests that share one call. */
const mostAtOnce = 1_000;

/** Opens the one atomic place that versions come from. Requests that come at the same moment share a call. */
export function openVersions(redis: Redis, prefix: string): Versions {
  redis.defineCommand('nextOrderVersions', { numberOfKeys: 1, lua: script });
  const commands = redis as Redis & { nextOrderVersions(key: string, count: number): Promise<string> };
  const take = async (askers: undefined[]) => {
    const first = Number(await commands.nextOrderVersions(`${prefix}:order-version`, askers.length));
    return askers.map((_asker, index) => first + index);
  };
  const next = coalesce(take, { maxWeight: mostAtOnce, parallel: 1, retryIndividually: false });
  return { next: () => next(undefined) };
}
