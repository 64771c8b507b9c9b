import type { DueBatch } from '@rewardhook/database';
import { openProducer, readShards } from '@rewardhook/pipeline';
import type { AdminContext } from './command.ts';

/**
 * Enqueues the evaluation of due orders and returns their number. Warns with the reason when that fails, for example
 * because Redis is not available: the sweeper of reward-evaluation enqueues them later.
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
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    warn(
      `The evaluation was not enqueued: ${reason}. The orders stay due, and reward-evaluation enqueues them itself.`,
    );
  }
  return batches.reduce((sum, { orders }) => sum + orders, 0);
}
