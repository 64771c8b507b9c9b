import type { Order } from '@rewardhook/contract';
import { withTimeout } from '@rewardhook/process';
import type { Log } from '@rewardhook/process';
import { toPayload } from './job-payload.ts';
import { openQueue } from './queues.ts';
import { commandTimeoutMs } from './redis.ts';
import type { Redis } from './redis.ts';
import type { RedisMemory } from './redis-memory.ts';
import { watchRedis } from './redis-watch.ts';
import { openVersions } from './versions.ts';
import type { VersionsOptions } from './versions.ts';

/**
 * The queue did not confirm a request. The request may have been enqueued nevertheless; sending it again is harmless
 * unless a newer one was sent.
 */
export class IntakeUnavailable extends Error {}

/** Enqueues the orders of requests for the stage `sync`. */
export interface Intake {
  /**
   * Enqueues all orders of a request as one job, or none.
   * @throws IntakeUnavailable at once when Redis is unavailable, and after a second when it has just frozen
   */
  accept(merchantId: string, orders: Order[]): Promise<void>;
  /** @throws IntakeUnavailable when a request would be refused now */
  check(): void;
  /** Memory use of Redis at the last check, at most a tenth of a second ago; undefined before the first one. */
  memory(): RedisMemory | undefined;
  close(): Promise<void>;
}

/** Opens the intake on the connection of a producer. */
export function openIntake(
  redis: Redis,
  { log, ...options }: Omit<VersionsOptions, 'onUnconfirmed'> & { log: Log },
): Intake {
  const { prefix } = options;
  const queue = openQueue('sync', redis, prefix);
  const versions = openVersions(redis, {
    ...options,
    onUnconfirmed: (error) =>
      log.warn('Redis was restarted, and its last version cannot be compared with the stored orders', {
        error,
      }),
  });
  const watch = watchRedis(redis, { intervalMs: 100, frozenAfterMs: 400 });

  const check = () => {
    const refusal = watch.refusal();
    if (refusal) throw new IntakeUnavailable(refusal);
  };
  const enqueue = async (merchantId: string, orders: Order[]) => {
    const version = await versions.next();
    // With a job id, a command that reaches Redis twice still makes one job.
    await queue.add('sync', toPayload<'sync'>({ merchantId, version, orders }), { jobId: `v${version}` });
  };
  return {
    check,
    memory: () => watch.memory(),
    async accept(merchantId, orders) {
      check();
      try {
        await withTimeout(enqueue(merchantId, orders), commandTimeoutMs, 'Redis did not answer');
      } catch (cause) {
        throw new IntakeUnavailable(cause instanceof Error ? cause.message : String(cause), { cause });
      }
    },
    async close() {
      watch.close();
      await queue.close();
    },
  };
}
