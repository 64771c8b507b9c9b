import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openLogFile, programArguments, startProcess } from '@rewardhook/local-stack';
import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import { buildOrder, projectRoot, waitFor } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing';
import { redisCommand } from '../../chaos/environment/redis-command.ts';
import { testLog } from '../harness/test-log.ts';
import { becomeStandby } from './become-standby.ts';

/** What a fault works on. */
export interface FaultContext {
  stack: Stack;
  dataDir: string;
  merchantId: string;
}

/** A fault of operation: something that nobody notices unless the system says so. */
export interface OperationFault {
  title: string;
  /** The alert of ops/prometheus that fires. */
  alert: string;
  /** The finding of `doctor`. */
  finding: string;
  /** Causes the fault. Returns what ends it. */
  cause(context: FaultContext): Promise<() => Promise<void>>;
}

const queuePrefix = '{rewardhook}';

/** Runs an action on the queue `sync`. */
async function withSyncQueue<T>(
  { stack }: FaultContext,
  act: (queue: ReturnType<typeof openQueues>[number]) => Promise<T>,
): Promise<T> {
  const redis = connectWorker(stack.redisUrl, testLog);
  await waitFor(() => redis.status === 'ready', { what: 'a connection to Redis' });
  const queues = openQueues(redis, queuePrefix);
  try {
    const queue = queues.find(({ name }) => name === 'sync');
    if (!queue) throw new Error('there is no queue sync');
    return await act(queue);
  } finally {
    await Promise.all(queues.map((queue) => queue.close()));
    await disconnect(redis);
  }
}

const pausedQueue: OperationFault = {
  title: 'A paused queue',
  alert: 'RewardhookQueuePaused',
  finding: 'queuesPaused',
  async cause(context) {
    await withSyncQueue(context, (queue) => queue.pause());
    return () => withSyncQueue(context, (queue) => queue.resume());
  },
};

const readOnlyDatabase: OperationFault = {
  title: 'A read-only PostgreSQL',
  alert: 'RewardhookDatabaseUnavailable',
  finding: 'databaseReadOnly',
  cause: ({ stack }) => becomeStandby(stack),
};

const fullRedis: OperationFault = {
  title: 'A full Redis',
  alert: 'RewardhookRedisFull',
  finding: 'redisFull',
  async cause({ stack }) {
    const used = /^used_memory:(\d+)/m.exec(await redisCommand(stack.redisUrl, 'INFO', 'memory'))?.[1];
    await redisCommand(stack.redisUrl, 'CONFIG', 'SET', 'maxmemory', String(Math.round(Number(used) * 0.9)));
    return async () => {
      await redisCommand(stack.redisUrl, 'CONFIG', 'SET', 'maxmemory', '0');
    };
  },
};

const frozenWorker: OperationFault = {
  title: 'A frozen sync worker',
  alert: 'RewardhookProcessFrozen',
  finding: 'processesLate',
  async cause({ stack }) {
    stack.kill('sync', 'SIGSTOP');
    return async () => stack.kill('sync', 'SIGCONT');
  },
};

const poisonJob: OperationFault = {
  title: 'A job that always fails',
  alert: 'RewardhookJobsFailing',
  finding: 'jobsFailing',
  async cause(context) {
    // PostgreSQL cannot store a NUL. The API refuses it, so such a job can only come from a defect.
    const orders = JSON.stringify([buildOrder({ order_id: 'order \u0000' })]);
    const data = { v: 1, merchantId: context.merchantId, version: Date.now() * 1_000, count: 1, orders };
    const job = await withSyncQueue(context, (queue) => queue.add('sync', data, { jobId: 'always-fails' }));
    return () =>
      withSyncQueue(context, async (queue) => {
        await waitFor(async () => (await queue.remove(job.id as string)) === 1, { what: 'the removal' });
      });
  },
};

const wrongSecretsKey: OperationFault = {
  title: 'A wrong SECRETS_KEY',
  alert: 'RewardhookWrongSecretsKey',
  finding: 'processesWithWrongKey',
  async cause({ stack, dataDir }) {
    const process_ = await startProcess({
      command: process.execPath,
      args: programArguments('apps/webhook-delivery/main', 'source'),
      cwd: projectRoot,
      env: { ...process.env, ...stack.environment, SECRETS_KEY: randomBytes(32).toString('base64') },
      log: openLogFile(join(dataDir, 'logs', 'wrong-key.log')),
    });
    return async () => void (await process_.stop());
  },
};

/** The faults, in an order in which none disturbs the next. The last one is remembered after it has ended. */
export const faults: OperationFault[] = [
  pausedQueue,
  readOnlyDatabase,
  fullRedis,
  frozenWorker,
  poisonJob,
  wrongSecretsKey,
];
