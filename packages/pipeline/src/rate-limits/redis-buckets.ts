import { withTimeout } from '@rewardhook/process';
import { coalesce } from '../coalesce.ts';
import { commandTimeoutMs } from '../redis.ts';
import type { Redis } from '../redis.ts';
import { prefixOfShard, shardOf } from '../shards.ts';
import { tolerance } from './token-bucket.ts';
import type { Charge } from './token-bucket.ts';

// For each bucket: how far it was ahead when it was written, and the time of that, in microseconds. The time is that of Redis,
// so that the clocks of the processes do not matter. A key expires when its bucket is full again. A refused charge writes
// nothing, unless the clock of Redis was set back: the bucket is then written with the new time, so that it fills up from there
// on.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local results = {}
for index, key in ipairs(KEYS) do
  local needed, taken = tonumber(ARGV[3 * index - 2]), tonumber(ARGV[3 * index - 1])
  local ahead, at = string.match(redis.call('GET', key) or '', '(%S+) (%S+)')
  local elapsed = now - (at or now)
  ahead = math.max(0, (ahead or 0) - math.max(0, elapsed))
  local allowed = ahead + needed <= tonumber(ARGV[3 * index]) + ${tolerance}
  if allowed then ahead = ahead + taken end
  if allowed or elapsed < 0 then
    redis.call('SET', key, string.format('%.17g %.0f', ahead, now), 'PX', math.max(1, math.ceil(ahead / 1000)))
  end
  results[index] = { allowed and 1 or 0, tostring(ahead) }
end
return results`;

/** Charges a bucket in Redis; the bucket is named by the part of its key after the prefix. */
export type ChargeInRedis = (bucket: string, charge: Charge) => Promise<[boolean, number]>;

interface Call {
  bucket: string;
  charge: Charge;
}

/** Maximum number of charges in one call: it takes Redis about a millisecond. */
const maxBatch = 500;

/**
 * Opens the buckets in Redis. Charges that are made while a call is in progress share the next one. Each shard has its own
 * calls, because a cluster runs a script on one node.
 */
export function openRedisBuckets(
  redis: Redis,
  { prefix, shards, check }: { prefix: string; shards: number; check: () => void },
): ChargeInRedis {
  redis.defineCommand('chargeBuckets', { lua: script });
  const commands = redis as Redis & {
    chargeBuckets(keys: number, ...keysAndCharges: (string | number)[]): Promise<[number, string][]>;
  };
  const ofShards = Array.from({ length: shards }, (_, shard) => {
    const ofShard = prefixOfShard(prefix, shard);
    const run = async (calls: Call[]): Promise<[boolean, number][]> => {
      // Also for calls that have waited for an unanswered one.
      check();
      const keys = calls.map(({ bucket }) => `${ofShard}:bucket:${bucket}`);
      const charges = calls.flatMap(({ charge }) => [charge.needed, charge.taken, charge.capacity]);
      const results = await withTimeout(
        commands.chargeBuckets(keys.length, ...keys, ...charges),
        commandTimeoutMs,
        'Redis did not answer',
      );
      return results.map(([allowed, ahead]) => [allowed === 1, Number(ahead)]);
    };
    return coalesce(run, { maxWeight: maxBatch, concurrency: 1, retryIndividually: false });
  });
  return async (bucket, charge) => {
    const chargeOne = ofShards[shardOf(bucket, shards)];
    if (!chargeOne) throw new Error('there is no such shard');
    return chargeOne({ bucket, charge });
  };
}
