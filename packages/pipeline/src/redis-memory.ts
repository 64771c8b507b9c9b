import type { Redis } from './redis.ts';

/** Memory use of Redis, in bytes. */
export interface RedisMemory {
  usedBytes: number;
  /** `maxmemory`; null when there is no limit. */
  maxBytes: number | null;
}

/**
 * Share of `maxmemory` from which orders are refused. At 100 % the workers could not take jobs off the queue, so the
 * remaining share is reserved for them.
 */
export const maxUsedShare = 0.8;

/** Reads the memory use of Redis. @throws when Redis is unavailable */
export async function readMemory(redis: Redis): Promise<RedisMemory> {
  return parseMemory(await redis.info('memory'));
}

/** Parses the memory use from the answer to `INFO memory`. */
export function parseMemory(info: string): RedisMemory {
  const used = /^used_memory:(\d+)/m.exec(info)?.[1];
  const max = /^maxmemory:(\d+)/m.exec(info)?.[1];
  return { usedBytes: Number(used ?? 0), maxBytes: Number(max ?? 0) || null };
}

/** The share of `maxmemory` in use: 0 to 1, or more; undefined when there is no limit. */
export function usedShare({ usedBytes, maxBytes }: RedisMemory): number | undefined {
  return maxBytes === null ? undefined : usedBytes / maxBytes;
}

/** The memory use as text: `41 % of 1024 MiB used`. */
export function describeMemory(memory: RedisMemory): string {
  const mebibytes = (bytes: number) => `${Math.round(bytes / 1_048_576)} MiB`;
  const share = usedShare(memory);
  return memory.maxBytes === null || share === undefined
    ? `${mebibytes(memory.usedBytes)} used, no limit`
    : `${Math.round(share * 100)} % of ${mebibytes(memory.maxBytes)} used`;
}
