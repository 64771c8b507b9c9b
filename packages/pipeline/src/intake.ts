import { withTimeout } from '@rewardhook/process';
import type { Log, RequestTrace } from '@rewardhook/process';
import { coalesce } from './coalesce.ts';
import { openFairPriorities, TooManyWaiting } from './fair-priorities.ts';
import type { WeighedJob } from './fair-priorities.ts';
import { anyInstallation } from './installation.ts';
import type { InstallationWatch } from './installation.ts';
import { toPayload } from './job-payload.ts';
import { openQueue } from './queues.ts';
import { commandTimeoutMs } from './redis.ts';
import type { Redis } from './redis.ts';
import type { RedisMemory } from './redis-memory.ts';
import { openReplication } from './replication.ts';
import { prefixOfShard, shardOf } from './shards.ts';
import { callsInFlight, openVersions } from './versions.ts';
import type { VersionsOptions } from './versions.ts';
import { watchMasters } from './watch-masters.ts';

/**
 * The queue did not confirm a request. The request may have been enqueued nevertheless; sending it again is harmless
 * unless a newer one was sent.
 */
export class IntakeUnavailable extends Error {}

/** The validated orders of one request. */
export interface ValidatedOrders {
  /** Number of orders in `json`. */
  count: number;
  /** The JSON array of the orders, each `order_id` once. */
  json: string;
}

/** What a merchant may have waiting, where it differs from the limit of all. */
export interface MerchantLimits {
  /** KiB of orders; 0 means no limit, null that of all. */
  waitingKib: number | null;
}

/** Enqueues the orders of requests for the stage `sync`. */
export interface Intake {
  /**
   * Enqueues the orders of a request.
   * @throws TooManyWaiting when the merchant has as much waiting as one merchant may have
   * @throws IntakeUnavailable at once when Redis is unavailable, and after a second, or a little more for megabytes, when it
   * has just frozen
   */
  accept(
    merchantId: string,
    orders: ValidatedOrders,
    trace?: RequestTrace,
    limits?: MerchantLimits,
  ): Promise<void>;
  /** @throws IntakeUnavailable when a request would be refused now */
  check(): void;
  /** Memory use of Redis at the last check, at most a tenth of a second ago; undefined before the first one. */
  memory(): RedisMemory | undefined;
  close(): Promise<void>;
}

/** Where the intake enqueues, and when an order counts as accepted. */
export interface IntakeOptions extends Omit<VersionsOptions, 'onUnconfirmed'> {
  log: Log;
  /** Number of shards of the queue; default 1. */
  shards?: number;
  /** Number of replicas that must have a request before it is accepted (`WAIT`); default 0. */
  waitReplicas?: number;
  /** How long the replicas may take, in milliseconds; default 500. */
  waitMs?: number;
  /** Whether the queues belong to the database; default: they are not checked. */
  installation?: Pick<InstallationWatch, 'refusal'>;
  /** The most KiB of orders that one merchant may have waiting; default 0, no limit. */
  maxWaitingKib?: number;
}

/** Maximum number of requests that share one call for their priorities. */
const maxShares = 1_000;

/** Bytes that Redis accepts in a millisecond even on a busy disk: the time limit of a request grows with its size. */
const bytesPerMs = 4_000;

/** Opens the intake on the connection of a producer, whose commands may take `intakeCommandTimeoutMs`. */
export function openIntake(
  redis: Redis,
  {
    log,
    shards = 1,
    waitReplicas = 0,
    waitMs = 500,
    maxWaitingKib = 0,
    installation = anyInstallation,
    ...options
  }: IntakeOptions,
): Intake {
  const { prefix } = options;
  const prefixes = Array.from({ length: shards }, (_, shard) => prefixOfShard(prefix, shard));
  const queues = prefixes.map((ofShard) => {
    const queue = openQueue('sync', redis, ofShard);
    const priorities = openFairPriorities(redis, queue, maxWaitingKib);
    const assign = coalesce((shares: WeighedJob[]) => priorities.assign(shares), {
      maxWeight: maxShares,
      concurrency: callsInFlight,
      retryIndividually: false,
    });
    return { prefix: ofShard, queue, assign };
  });
  const versions = openVersions(redis, {
    ...options,
    onUnconfirmed: (error) =>
      log.warn('Redis was restarted, and its last version cannot be compared with the stored orders', {
        error,
      }),
  });
  const watch = watchMasters(redis, prefixes, {
    intervalMs: 100,
    frozenAfterMs: 400,
    minReplicas: waitReplicas,
  });
  const replication =
    waitReplicas > 0 ? openReplication(redis, { replicas: waitReplicas, waitMs }) : undefined;

  const refuse = (refusal: string | undefined) => {
    if (refusal) throw new IntakeUnavailable(refusal);
  };
  const enqueue = async (
    merchantId: string,
    { count, json }: ValidatedOrders,
    trace: RequestTrace,
    limit: number | undefined,
    { prefix: ofShard, queue, assign }: (typeof queues)[number],
    refused: AbortSignal,
  ) => {
    const [version, priority] = await Promise.all([
      versions.next(),
      assign({ merchantId, weight: Math.ceil(Buffer.byteLength(json) / 1_024), limit }),
    ]);
    if (priority instanceof TooManyWaiting) throw priority;
    // The client may have sent a newer state since, which another process has accepted with a lower version.
    refused.throwIfAborted();
    const job = toPayload<'sync'>({ merchantId, version, count, orders: json, ...trace });
    // With a job id, a command that reaches Redis twice still makes one job.
    const add = () => queue.add('sync', job, { jobId: `v${version}`, priority });
    await (replication ? replication.confirm(ofShard, add) : add());
  };
  return {
    check: () => refuse(watch.refusal() ?? installation.refusal()),
    memory: () => watch.memory(),
    async accept(merchantId, orders, trace = {}, { waitingKib } = { waitingKib: null }) {
      const shard = queues[shardOf(merchantId, shards)] as (typeof queues)[number];
      // Versions are in shard 0.
      refuse(watch.refusal([prefix, shard.prefix]) ?? installation.refusal());
      const refusal = new AbortController();
      const enqueued = enqueue(merchantId, orders, trace, waitingKib ?? undefined, shard, refusal.signal);
      try {
        await withTimeout(
          enqueued,
          commandTimeoutMs + orders.json.length / bytesPerMs,
          'Redis did not answer',
        );
      } catch (cause) {
        refusal.abort();
        if (cause instanceof TooManyWaiting) throw cause;
        throw new IntakeUnavailable(cause instanceof Error ? cause.message : String(cause), { cause });
      }
    },
    async close() {
      watch.close();
      await Promise.all(queues.map(({ queue }) => queue.close()));
    },
  };
}
