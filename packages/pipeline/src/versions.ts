import { withTimeout } from '@rewardhook/process';
import { coalesce } from './coalesce.ts';
import type { Redis } from './redis.ts';

/**
 * The version is the greater of the last version + 1 and the clock in microseconds, so it never decreases, despite
 * restarts, clock skew and several API processes.
 *
 * A Redis that has lost its data, was restored from an older file, or was promoted without the last writes does not know
 * the last version. So versions are assigned only while this Redis process is confirmed: its `run_id` is stored beside
 * the last version, is new after each start, and differs in a replica. Otherwise the script returns nothing, unless
 * ARGV[2] allows it.
 *
 *   KEYS[1]  the last version           ARGV[1]  number of versions to assign
 *   KEYS[2]  the confirmed `run_id`     ARGV[2]  '', or a version above all stored ones, which confirms this Redis
 *                                                process, or 'unconfirmed': continues if there is a last version
 *
 * Returns the first of the versions.
 */
const script = `
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or 'hidden'
local last = redis.call('GET', KEYS[1])
local free = 0
if not last or redis.call('GET', KEYS[2]) ~= server then
  free = tonumber(ARGV[2])
  if free then
    redis.call('SET', KEYS[2], server)
  elseif last and ARGV[2] == 'unconfirmed' then
    free = 0
  else
    return false
  end
end
local time = redis.call('TIME')
local first = math.max(tonumber(last or '0') + 1, free, time[1] * 1000000 + time[2])
redis.call('SET', KEYS[1], string.format('%.0f', first + ARGV[1] - 1))
return string.format('%.0f', first)`;

/** Assigns each accepted request its version: microseconds since 1970, strictly increasing. */
export interface Versions {
  /** @throws when Redis is unavailable, or when it has no last version and `findFreeVersion` fails */
  next(): Promise<number>;
}

export interface VersionsOptions {
  prefix: string;
  /** Returns a version above those of all stored orders. Called after each start and failover of Redis. */
  findFreeVersion(): Promise<number>;
  /**
   * Called when `findFreeVersion` failed, with its error: versions continue from the last one that Redis has. It is tried
   * again every second.
   */
  onUnconfirmed(error: unknown): void;
}

/** The keys in Redis of the last version, and of the `run_id` that is confirmed. */
const versionKeys = (prefix: string) =>
  [`${prefix}:order-version`, `${prefix}:order-version-server`] as const;

/** Finds the last version that Redis has; null when it has none. */
export async function findLastVersion(redis: Redis, prefix: string): Promise<number | null> {
  const last = await redis.get(versionKeys(prefix)[0]);
  return last === null ? null : Number(last);
}

/** Maximum number of requests that share one call. */
const maxBatch = 1_000;

/** Calls in flight: a request does not wait for the call of another one to end. */
export const callsInFlight = 4;

/** The longest wait for `findFreeVersion`, and the time until it is tried again, in milliseconds. */
const freeVersionTimeoutMs = 400;
const retryAfterMs = 1_000;

/** Opens the source of versions. Simultaneous requests share one call of the Redis script. */
export function openVersions(redis: Redis, options: VersionsOptions): Versions {
  const assign = openAssignment(redis, options);
  const run = async (requests: undefined[]) => {
    const first = await assign(requests.length);
    return requests.map((_request, index) => first + index);
  };
  const next = coalesce(run, { maxWeight: maxBatch, concurrency: callsInFlight, retryIndividually: false });
  return { next: () => next(undefined) };
}

/** Returns the function that assigns a number of consecutive versions and returns the first. */
function openAssignment(
  redis: Redis,
  { prefix, findFreeVersion, onUnconfirmed }: VersionsOptions,
): (count: number) => Promise<number> {
  redis.defineCommand('nextOrderVersions', { numberOfKeys: 2, lua: script });
  const commands = redis as Redis & {
    nextOrderVersions(last: string, server: string, count: number, free: string): Promise<string | null>;
  };
  const assign = (count: number, free: number | '' | 'unconfirmed') =>
    commands.nextOrderVersions(...versionKeys(prefix), count, String(free));
  let retryAt = 0;

  return async (count) => {
    const confirmed = await assign(count, '');
    if (confirmed) return Number(confirmed);
    let cause: unknown;
    if (performance.now() >= retryAt) {
      const free = await withTimeout(
        findFreeVersion(),
        freeVersionTimeoutMs,
        'PostgreSQL did not answer',
      ).catch((error: unknown) => {
        cause = error;
        retryAt = performance.now() + retryAfterMs;
      });
      if (free !== undefined) return Number(await assign(count, free));
    }
    // PostgreSQL is unavailable as well. After an ordinary restart Redis has its last version and continues from it;
    // without one, nothing says which versions are stored.
    const unconfirmed = await assign(count, 'unconfirmed');
    if (!unconfirmed)
      throw new Error('Redis has lost the last version, and PostgreSQL is unavailable', { cause });
    if (cause !== undefined) onUnconfirmed(cause);
    return Number(unconfirmed);
  };
}
