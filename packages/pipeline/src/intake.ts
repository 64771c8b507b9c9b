import type { Order } from '@rewardhook/contract';
import { openQueue } from './queues.ts';
import type { Redis } from './redis.ts';
import { commandTimeoutMs } from './redis.ts';
import { maxUsedShare } from './redis-memory.ts';
import type { RedisMemory } from './redis-memory.ts';
import { watchRedis } from './redis-watch.ts';
import { openVersions } from './versions.ts';

/** The queue did not confirm the request: it may be in or not, and sending it again is harmless unless a newer one was sent. */
export class IntakeUnavailable extends Error {}

/** Takes the orders of a request into the `sync` queue. */
export interface Intake {
  /**
   * Resolves when Redis has the whole request: one job, so all of it or nothing.
   * @throws IntakeUnavailable at once when Redis is away, after a second when it froze just now
   */
  accept(merchantId: string, orders: Order[]): Promise<void>;
  /** @throws IntakeUnavailable when a request would be refused now */
  check(): void;
  /** How full Redis was at the last look, at most a tenth of a second ago; undefined before the first one. */
  memory(): RedisMemory | undefined;
  close(): Promise<void>;
}

/** Opens the intake on a producer's connection. */
export function openIntake(redis: Redis, prefix: string): Intake {
  const queue = openQueue('sync', redis, prefix);
  const versions = openVersions(redis, prefix);
  const watch = watchRedis(redis, { everyMs: 100, frozenAfterMs: 400, maxUsedShare });

  const check = () => {
    const refusal = watch.refusal();
    if (refusal) throw new IntakeUnavailable(refusal);
  };
  const add = async (merchantId: string, orders: Order[]) => {
    const version = await versions.next();
    // A job id of its own: a command that reached Redis twice is still one job.
    await queue.add('sync', { merchantId, version, orders }, { jobId: `v${version}` });
  };
  return {
    check,
    memory: () => watch.memory(),
    async accept(merchantId, orders) {
      check();
      await withinDeadline(add(merchantId, orders));
    },
    async close() {
      watch.close();
      await queue.close();
    },
  };
}

/** Settles with the work, or fails after the deadline; a plain timer, since this runs for every request. */
function withinDeadline(work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown) =>
      reject(new IntakeUnavailable(cause instanceof Error ? cause.message : String(cause), { cause }));
    const timer = setTimeout(() => fail(new Error('Redis did not answer in time')), commandTimeoutMs);
    work.then(resolve, fail).finally(() => clearTimeout(timer));
  });
}
