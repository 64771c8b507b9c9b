import type { Redis } from './redis.ts';
import { parseMemory, usedShare } from './redis-memory.ts';
import type { RedisMemory } from './redis-memory.ts';

/** A running look at whether Redis can take an order right now. */
export interface RedisWatch {
  /** Why Redis cannot take orders now, or undefined when it can. Costs nothing: nothing is sent. */
  refusal(): string | undefined;
  /** Memory use at the last look; undefined before the first one. */
  memory(): RedisMemory | undefined;
  close(): void;
}

export interface WatchOptions {
  /** Milliseconds between two looks. */
  everyMs: number;
  /** Silence for so many milliseconds counts as frozen. */
  frozenAfterMs: number;
  /**
   * Share of `maxmemory` from which orders are refused: at 100 % workers could not even take jobs off the
   * queue, so room is left for them to drain it.
   */
  maxUsedShare: number;
}

/** Watches Redis by asking for its memory use and its role at short intervals. */
export function watchRedis(redis: Redis, options: WatchOptions): RedisWatch {
  let askedAt: number | undefined;
  /** The last look had no answer: as long as that is so, the time of the look under way says nothing. */
  let silent = false;
  let memory: RedisMemory | undefined;
  let readOnly = false;

  const look = async () => {
    if (askedAt !== undefined || redis.status !== 'ready') return;
    askedAt = performance.now();
    try {
      const info = await redis.info('memory', 'replication');
      memory = parseMemory(info);
      readOnly = /^role:slave/m.test(info) && /^slave_read_only:1/m.test(info);
      silent = false;
    } catch {
      silent = true;
    } finally {
      askedAt = undefined;
    }
  };
  const lookNow = () => void look();
  const timer = setInterval(lookNow, options.everyMs);
  redis.on('ready', lookNow);

  return {
    refusal() {
      if (redis.status !== 'ready') return 'Redis is unreachable';
      if (silent || (askedAt !== undefined && performance.now() - askedAt > options.frozenAfterMs))
        return 'Redis does not answer';
      if (readOnly) return 'Redis is a read-only replica';
      const used = (memory && usedShare(memory)) ?? 0;
      if (used >= options.maxUsedShare) return `Redis is ${Math.round(used * 100)} % full`;
      return undefined;
    },
    memory: () => memory,
    close() {
      clearInterval(timer);
      redis.off('ready', lookNow);
    },
  };
}
