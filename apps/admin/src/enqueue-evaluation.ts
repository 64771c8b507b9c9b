import type { DueBatch } from '@rewardhook/database';
import { openProducer, readShards } from '@rewardhook/pipeline';
import type { AdminContext } from './command.ts';

/**
 * Enqueues the evaluation of due orders and returns their number. Warns when Redis is not available: the sweeper of
 * reward-evaluation enqueues the orders when it is back.
 */
export async function enqueueEvaluation(
  batches: DueBatch[],
  { queuePrefix, redis, warn }: Pick<AdminContext, 'queuePrefix' | 'redis' | 'warn'>,
): Promise<number> {
  try {
    const connection = await redis();
    const shards = await readShards(connection, queuePrefix);
    const producer = openProducer('reward-evaluation', connection, queuePrefix, { shards });
    await producer.enqueue(batches);
    await producer.close();
  } catch {
    warn('Redis is not available: the orders are evaluated when it is back.');
  }
  return batches.reduce((sum, { orders }) => sum + orders, 0);
}
