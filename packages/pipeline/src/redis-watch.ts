import type { Redis } from './redis.ts';
import { maxUsedShare, parseMemory, usedShare } from './redis-memory.ts';
import type { RedisMemory } from './redis-memory.ts';

/**
 * What a process knows about Redis. `full`: from `maxUsedShare` of its memory on. `under_replicated`: fewer replicas are
 * connected than must confirm a request.
 */
export const redisStates = [
  'ok',
  'unreachable',
  'not_answering',
  'read_only',
  'full',
  'under_replicated',
] as const;
export type RedisState = (typeof redisStates)[number];

/** The last known state of Redis. */
export interface RedisWatch {
  state(): RedisState;
  /** Why Redis cannot accept orders now; undefined when it can. Sends nothing. */
  refusal(): string | undefined;
  /** Memory use at the last check; undefined before the first one. */
  memory(): RedisMemory | undefined;
  close(): void;
}

/** How a watch checks Redis. */
export interface WatchOptions {
  /** Milliseconds between two checks. */
  intervalMs: number;
  /** After this number of milliseconds without an answer, Redis counts as frozen. */
  frozenAfterMs: number;
  /** Number of replicas that must be connected; default 0. */
  minReplicas?: number;
}

/** Watches Redis by reading its memory use and its role at short intervals. */
export function watchRedis(
  redis: Redis,
  { intervalMs, frozenAfterMs, minReplicas = 0 }: WatchOptions,
): RedisWatch {
  /**
   * Ticks of the timer since the check in progress began; undefined while there is none. Time is not measured by the clock:
   * when this process is busy for longer than Redis may take, an answer can have arrived without being read.
   */
  let ticks: number | undefined;
  const frozenAfterTicks = Math.ceil(frozenAfterMs / intervalMs);
  /** The last check had no answer. Until one has, the duration of the check in progress does not matter. */
  let unanswered = false;
  let memory: RedisMemory | undefined;
  let readOnly = false;
  let replicas = 0;

  const check = async () => {
    if (ticks !== undefined || redis.status !== 'ready') return;
    ticks = 0;
    try {
      const info = await redis.info('memory', 'replication');
      memory = parseMemory(info);
      readOnly = /^role:slave/m.test(info) && /^slave_read_only:1/m.test(info);
      replicas = info.match(/^slave\d+:.*state=online/gm)?.length ?? 0;
      unanswered = false;
    } catch {
      unanswered = true;
    } finally {
      ticks = undefined;
    }
  };
  const checkNow = () => void check();
  const timer = setInterval(() => {
    if (ticks !== undefined) ticks += 1;
    checkNow();
  }, intervalMs);
  redis.on('ready', checkNow);

  const share = () => (memory && usedShare(memory)) ?? 0;
  const state = (): RedisState => {
    if (redis.status !== 'ready') return 'unreachable';
    const frozen = ticks !== undefined && ticks >= frozenAfterTicks;
    if (unanswered || frozen) return 'not_answering';
    if (readOnly) return 'read_only';
    if (share() >= maxUsedShare) return 'full';
    return memory !== undefined && replicas < minReplicas ? 'under_replicated' : 'ok';
  };
  const refusals: Record<RedisState, () => string | undefined> = {
    ok: () => undefined,
    unreachable: () => 'Redis is unreachable',
    not_answering: () => 'Redis does not answer',
    read_only: () => 'Redis is a read-only replica',
    full: () => `Redis is ${Math.round(share() * 100)} % full`,
    under_replicated: () =>
      `Redis has ${replicas} of the ${minReplicas} replicas that must confirm a request`,
  };

  return {
    state,
    refusal: () => refusals[state()](),
    memory: () => memory,
    close() {
      clearInterval(timer);
      redis.off('ready', checkNow);
    },
  };
}
