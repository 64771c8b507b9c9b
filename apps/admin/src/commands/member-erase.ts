import { eraseMember, ErasureRefused } from '@rewardhook/database';
import { openQueues } from '@rewardhook/pipeline';
import { command, UsageError } from '../command.ts';
import { readFlag } from '../read-linking.ts';
import { requireMerchant } from '../require-merchant.ts';
import { countQueuedOrders, forgetFinishedOrders } from './queued-orders.ts';

export const memberErase = command({
  does: "Replace a member's id by a tombstone everywhere. Rewards and links stay, without him. Cannot be undone.",
  required: { merchant: 'merchant id', member: 'member id' },
  optional: { force: 'true cancels first what is still to be sent and names the member (default false)' },
  async run({ merchant, member, force }, { database, queuePrefix, redis }) {
    const cancelDeliveries = force !== undefined && readFlag('--force', force);
    await requireMerchant(database, merchant);
    const queues = openQueues(await redis(), queuePrefix);
    const sync = queues.find(({ name }) => name === 'sync');
    if (!sync) throw new Error('there is no queue sync');
    try {
      const owner = { merchantId: merchant, memberId: member };
      const queued = await countQueuedOrders(sync, owner);
      if (queued > 0)
        throw new UsageError(`${queued} orders of the member are not stored yet: try again in a moment.`);
      const erasure = await eraseMember(database, merchant, member, { cancelDeliveries });
      // Also when nobody is found: an earlier run may have been stopped in between.
      const jobsForgotten = await forgetFinishedOrders(sync, owner);
      if (!erasure)
        throw new UsageError(`Merchant ${merchant} has no member ${member}, and no order of his.`);
      return { document: { ...erasure, jobsForgotten } };
    } catch (error) {
      throw error instanceof ErasureRefused ? new UsageError(error.message) : error;
    } finally {
      await Promise.all(queues.map((queue) => queue.close()));
    }
  },
});
