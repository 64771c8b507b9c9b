import { createHash } from 'node:crypto';
import { repeat } from '@rewardhook/process';
import type { Log } from '@rewardhook/process';
import type { Redis } from './redis.ts';

/*
 * Each stage has one queue for each shard, and a merchant belongs to one shard. All keys of a shard have one hash tag, so that a
 * Redis Cluster keeps them on one node, and several shards spread over its nodes. Shard 0 has the prefix of the settings: with
 * one shard, key names are the same as without shards.
 */

/** The prefixes of the queues of a stage, in the order of the shards. */
export function prefixesOfShards(prefix: string, shards: number): string[] {
  return Array.from({ length: shards }, (_, shard) => prefixOfShard(prefix, shard));
}

/** The prefix of the keys of a shard: `{rewardhook}` for shard 0, `{rewardhook-3}` for shard 3. */
export function prefixOfShard(prefix: string, shard: number): string {
  if (shard === 0) return prefix;
  const end = prefix.indexOf('}');
  return end < 0 ? `${prefix}-${shard}` : `${prefix.slice(0, end)}-${shard}${prefix.slice(end)}`;
}

/** The shard of a merchant: 0 to `shards` - 1. The same in every process and release. */
export function shardOf(merchantId: string, shards: number): number {
  if (shards === 1) return 0;
  return createHash('sha256').update(merchantId).digest().readUInt32BE() % shards;
}

// The greatest number of shards that any process has used. Their queues are emptied also after the number was reduced.
const script = `
local known = tonumber(redis.call('GET', KEYS[1]) or '1')
local used = tonumber(ARGV[1])
if used > known then redis.call('SET', KEYS[1], used) end
return math.max(known, used)`;

/**
 * Records that this process uses `shards` shards, and returns the greatest number that any process has used. Queues may
 * have jobs up to that number.
 * @throws when Redis is unavailable
 */
async function registerShards(redis: Redis, prefix: string, shards: number): Promise<number> {
  return (await redis.eval(script, 1, `${prefix}:shards`, shards)) as number;
}

/** Reads the greatest number of shards that any process has used. @throws when Redis is unavailable */
export async function readShards(redis: Redis, prefix: string): Promise<number> {
  return Number((await redis.get(`${prefix}:shards`)) ?? 1);
}

const followIntervalMs = 5_000;

/**
 * Registers the number of shards every few seconds, and reports the greatest number that any process has used when it
 * grows. So a worker empties also the queues of shards that only others know.
 */
export function followShards(
  redis: Redis,
  { prefix, shards, log }: { prefix: string; shards: number; log: Log },
  onGrown: (shards: number) => void,
): { stop(): Promise<void> } {
  let known = shards;
  return repeat('register shards', followIntervalMs, log, async () => {
    // While Redis is unavailable there is nothing to learn from it.
    if (redis.status !== 'ready') return;
    const used = await registerShards(redis, prefix, shards);
    if (used > known) onGrown((known = used));
  });
}
