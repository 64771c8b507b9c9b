import { freeMemory, withTimeout } from '@rewardhook/process';
import type { Log, RequestTrace } from '@rewardhook/process';
import { openBulkConnection } from './bulk-connection.ts';
import { coalesce } from './coalesce.ts';
import type { StoredOrders } from './compressed-orders.ts';
import { openFairPriorities, TooManyWaiting } from './fair-priorities.ts';
import type { Share } from './fair-priorities.ts';
import { anyInstallation } from './installation.ts';
import type { InstallationWatch } from './installation.ts';
import { writeOrdersPayload } from './job-payload.ts';
import { openTextQueue } from './queues.ts';
import { commandTimeoutMs } from './redis.ts';
import type { Redis } from './redis.ts';
import type { RedisMemory } from './redis-memory.ts';
import { openReplication } from './replication.ts';
import { prefixOfShard, shardOf } from './shards.ts';
import { countedOrders } from './stages.ts';
import { callsInFlight, openVersions } from './versions.ts';
import type { VersionsOptions } from './versions.ts';
import { TextJob } from './text-job.ts';
import type { TextQueue } from './text-job.ts';
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

/** Enqueues the orders of requests for the stage `sync`. */
export interface Intake {
  /**
   * Enqueues the orders of a request.
   * @throws TooManyWaiting when the merchant has as many orders waiting as one merchant may have
   * @throws IntakeUnavailable at once when Redis is unavailable, and after a second, or more for megabytes, when it has just
   * frozen
   */
  accept(merchantId: string, orders: ValidatedOrders, trace?: RequestTrace): Promise<void>;
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
  /** The most orders that one merchant may have waiting; default 0, no limit. */
  maxWaiting?: number;
}

/** Maximum number of requests that share one call for their priorities. */
const maxShares = 1_000;

/** Requests whose jobs have more bytes than this are added over a connection of their own. */
const bulkBytes = 16_384;

/** Bytes that Redis accepts in a millisecond even on a busy disk: the time limit of a request grows with its size. */
const bytesPerMs = 4_000;

/** Opens the intake on the connection of a producer. */
export function openIntake(
  redis: Redis,
  {
    log,
    shards = 1,
    waitReplicas = 0,
    waitMs = 500,
    maxWaiting = 0,
    installation = anyInstallation,
    ...options
  }: IntakeOptions,
): Intake {
  const { prefix } = options;
  const prefixes = Array.from({ length: shards }, (_, shard) => prefixOfShard(prefix, shard));
  const bulk = openBulkConnection(redis);
  const queues = prefixes.map((ofShard) => {
    const queue = openTextQueue(redis, ofShard);
    const bulkQueue = openTextQueue(bulk.redis, ofShard);
    const priorities = openFairPriorities(redis, queue, maxWaiting);
    const assign = coalesce((shares: Share[]) => priorities.assign(shares), {
      maxWeight: maxShares,
      concurrency: callsInFlight,
      retryIndividually: false,
    });
    return { queue, bulkQueue, assign };
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
  const replicationOf = (connection: Redis) =>
    waitReplicas > 0 ? openReplication(connection, { replicas: waitReplicas, waitMs }) : undefined;
  const replications = { small: replicationOf(redis), bulk: replicationOf(bulk.redis) };

  const refuse = (refusal: string | undefined) => {
    if (refusal) throw new IntakeUnavailable(refusal);
  };
  const enqueue = async (
    merchantId: string,
    parts: readonly StoredOrders[],
    trace: RequestTrace,
    shard: number,
    refused: AbortSignal,
  ) => {
    const { queue, bulkQueue, assign } = queues[shard] as (typeof queues)[number];
    const [version, priorities] = await Promise.all([
      versions.next(),
      assign({
        merchantId,
        orders: parts.map(({ orders, bytes }) => countedOrders(orders, bytes)),
      }),
    ]);
    if (priorities instanceof TooManyWaiting) throw priorities;
    // The client may have sent a newer state since, which another process has accepted with a lower version.
    refused.throwIfAborted();
    // With a job id, a command that reaches Redis twice still makes one job.
    const jobs = parts.map((part, index) => ({
      id: index === 0 ? `v${version}` : `v${version}-${index + 1}`,
      priority: priorities[index] ?? 1,
      text: writeOrdersPayload({ merchantId, version, count: part.orders, ...trace }, part),
    }));
    const bytes = jobs.reduce((sum, { text }) => sum + text.length, 0);
    const isBulk = bytes > bulkBytes && bulk.isReady();
    const add = () => addJobs(isBulk ? bulkQueue : queue, jobs);
    const replication = isBulk ? replications.bulk : replications.small;
    await (replication ? replication.confirm(prefixes[shard] ?? prefix, add) : add());
    for (const { text } of jobs) freeMemory(text);
  };
  return {
    check: () => refuse(watch.refusal() ?? installation.refusal()),
    memory: () => watch.memory(),
    async accept(merchantId, { count, json }, trace = {}) {
      const shard = shardOf(merchantId, shards);
      // Versions are in shard 0.
      refuse(watch.refusal([prefix, prefixes[shard] ?? prefix]) ?? installation.refusal());
      const stored = Buffer.from(json);
      const bytes = stored.length;
      const parts = [{ orders: count, bytes, pieces: [stored], compressed: false }];
      const timeoutMs = commandTimeoutMs + bytes / bytesPerMs;
      const refusal = new AbortController();
      const enqueued = enqueue(merchantId, parts, trace, shard, refusal.signal);
      try {
        await withTimeout(enqueued, timeoutMs, 'Redis did not answer');
      } catch (cause) {
        refusal.abort();
        if (cause instanceof TooManyWaiting) throw cause;
        throw new IntakeUnavailable(cause instanceof Error ? cause.message : String(cause), { cause });
      }
    },
    async close() {
      watch.close();
      await Promise.all(queues.flatMap(({ queue, bulkQueue }) => [queue.close(), bulkQueue.close()]));
      await bulk.close();
    },
  };
}

/** Adds jobs in one transaction. @throws when Redis refuses it */
async function addJobs(
  queue: TextQueue,
  jobs: { id: string; text: Buffer; priority: number }[],
): Promise<void> {
  const [only, ...others] = jobs;
  if (only && others.length === 0)
    return void (await queue.add('sync', only.text, { jobId: only.id, priority: only.priority }));
  // FlowProducer.addBulk does the same, but drops the errors of single commands.
  const entries = jobs.map(({ id, text, priority }) =>
    new TextJob(queue, 'sync', text, { ...queue.defaultJobOptions, jobId: id, priority }, id).toFlowEntry(),
  );
  for (const [error] of await queue.backend.addFlow(entries)) if (error) throw error;
}
