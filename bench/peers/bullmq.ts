import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Bench } from '../stack/bench.ts';
import { openTask } from '../tasks/open-task.ts';
import { firstRetryMs, maxAttempts } from './delivery.ts';
import type { PeerDelivery } from './delivery.ts';
import { openPeer } from './open-peer.ts';
import type { System } from './system.ts';
import type { WorkerPlan } from './worker-plan.ts';

/** Jobs that are added at a time. */
const chunk = 1_000;
const options = {
  attempts: maxAttempts,
  backoff: { type: 'exponential', delay: firstRetryMs },
  removeOnComplete: true,
  removeOnFail: { count: 1_000 },
};

/** Plain BullMQ: one queue, one job for each delivery. */
export async function openBullMq(bench: Bench, receiverUrl: string, concurrency: number): Promise<System> {
  const { databaseUrl, redisUrl } = bench.stack;
  const plan: WorkerPlan = { databaseUrl, redisUrl, queue: `peer-deliveries-${concurrency}`, concurrency };
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue<PeerDelivery>(plan.queue, { connection: redis });
  const worker = await openTask<WorkerPlan, null, number>('peers/bullmq-worker.ts', plan);

  const add = async (deliveries: PeerDelivery[]) => {
    for (let from = 0; from < deliveries.length; from += chunk)
      await queue.addBulk(
        deliveries.slice(from, from + chunk).map((data) => ({ name: 'delivery', data, opts: options })),
      );
  };
  const hold = async (deliveries: PeerDelivery[]) => {
    await queue.pause();
    await add(deliveries);
    return () => queue.resume();
  };
  const close = async () => {
    await queue.obliterate({ force: true });
    await queue.close();
    await redis.quit();
  };
  return openPeer('BullMQ', { sql: bench.sql, receiverUrl }, { add, hold, close }, worker);
}
