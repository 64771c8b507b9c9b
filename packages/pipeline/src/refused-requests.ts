import { repeat } from '@rewardhook/process';
import type { Log } from '@rewardhook/process';
import type { Redis } from './redis.ts';

/*
 * How many requests of each merchant were refused, by error code: a hash in Redis for each five minutes. Processes count in
 * memory and add what they counted every few seconds. A count is lost while Redis is unavailable.
 */

const bucketMs = 300_000;
const keptSeconds = 1_200;
const writeEveryMs = 5_000;

/** Merchants and codes that a process counts at a time. */
const maxCounted = 10_000;

const keyOf = (prefix: string, bucket: number) => `${prefix}:refusals:${bucket}`;
const bucketAt = (time: number) => Math.floor(time / bucketMs);

/** Counts refused requests. */
export interface RefusedRequestCounter {
  record(merchantId: string, code: string): void;
  stop(): Promise<void>;
}

/** Starts counting on a connection that fails at once while Redis is unavailable. */
export function openRefusedRequestCounter(redis: Redis, prefix: string, log: Log): RefusedRequestCounter {
  let counts = new Map<string, number>();
  const write = async () => {
    if (counts.size === 0 || redis.status !== 'ready') return;
    const counted = counts;
    counts = new Map();
    const key = keyOf(prefix, bucketAt(Date.now()));
    const commands = redis.pipeline();
    for (const [field, count] of counted) commands.hincrby(key, field, count);
    await commands.expire(key, keptSeconds).exec();
  };
  const writing = repeat('count refused requests', writeEveryMs, log, write);
  return {
    record(merchantId, code) {
      const field = `${merchantId} ${code}`;
      if (!counts.has(field) && counts.size >= maxCounted) return;
      counts.set(field, (counts.get(field) ?? 0) + 1);
    },
    stop: () => writing.stop(),
  };
}

/** The refused requests of a merchant with an error code. */
export interface RefusedRequests {
  merchantId: string;
  code: string;
  number: number;
}

/** Reads how many requests were refused in the last five to ten minutes. @throws when Redis is unavailable */
export async function readRefusedRequests(redis: Redis, prefix: string): Promise<RefusedRequests[]> {
  const now = bucketAt(Date.now());
  const hashes = await Promise.all([now, now - 1].map((bucket) => redis.hgetall(keyOf(prefix, bucket))));
  const sums = new Map<string, number>();
  for (const [field, count] of hashes.flatMap((hash) => Object.entries(hash)))
    sums.set(field, (sums.get(field) ?? 0) + Number(count));
  return Array.from(sums, ([field, number]) => {
    const [merchantId = '', code = ''] = field.split(' ');
    return { merchantId, code, number };
  });
}
