import { retryParked } from '@rewardhook/database';
import { openProducer } from '@rewardhook/pipeline';
import { command } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';

export const evaluationRetry = command({
  does: 'Evaluate orders again whose evaluation failed repeatedly and was set aside; doctor lists them.',
  required: {},
  optional: { merchant: 'merchant id (default: all merchants)' },
  async run({ merchant }, { database, queuePrefix, redis, warn }) {
    if (merchant !== undefined) await requireMerchant(database, merchant);
    const due = await retryParked(database, merchant);
    try {
      const producer = openProducer('reward-evaluation', await redis(), queuePrefix);
      await producer.enqueue(due);
      await producer.close();
    } catch {
      warn('Redis is away: the orders are evaluated when it is back.');
    }
    return { document: { ordersRetried: due.reduce((sum, { orders }) => sum + orders, 0) } };
  },
});
