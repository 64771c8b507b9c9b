import { isRedisUnavailable } from './redis.ts';
import type { Redis } from './redis.ts';

/**
 * Writes a key that expires after a minute. Returns why Redis refuses the write, such as that it is full or a read-only
 * replica; null when it accepts it. @throws when Redis is unavailable
 */
export async function probeRedis(redis: Redis, prefix: string): Promise<string | null> {
  try {
    await redis.set(`${prefix}:write-probe`, 1, 'EX', 60);
    return null;
  } catch (error) {
    if (isRedisUnavailable(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}
