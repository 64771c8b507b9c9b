import { openProducer, readShards } from '@rewardhook/pipeline';
import type { Jobs } from '@rewardhook/pipeline';
import type { AdminContext } from './command.ts';

/** Batches to evaluate, and endpoints with new deliveries. */
interface DueJobs {
  batches: Jobs['reward-evaluation'][];
  endpoints?: Jobs['webhook-delivery'][];
}

/**
 * Enqueues what became due and returns the number of orders in it. Warns with the reason when that fails, for example because
 * Redis is not available: the sweepers enqueue it later.
 */
export async function enqueueDue(
  { batches, endpoints = [] }: DueJobs,
  { queuePrefix, redis, warn }: Pick<AdminContext, 'queuePrefix' | 'redis' | 'warn'>,
): Promise<number> {
  try {
    const connection = await redis();
    const shards = await readShards(connection, queuePrefix);
    const evaluation = openProducer('reward-evaluation', connection, queuePrefix, { shards });
    const delivery = openProducer('webhook-delivery', connection, queuePrefix, { shards });
    await evaluation.enqueue(batches);
    await delivery.enqueue(endpoints);
    await Promise.all([evaluation.close(), delivery.close()]);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    warn(
      `The next jobs were not enqueued: ${reason}. Everything is stored, and the workers enqueue them themselves.`,
    );
  }
  return batches.reduce((sum, { orders }) => sum + orders, 0);
}
