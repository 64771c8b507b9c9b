import { eraseMember, ErasureRefused } from '@rewardhook/database';
import { openQueues } from '@rewardhook/pipeline';
import { command, CommandFailed } from '../command.ts';
import { readFlag } from '../read-linking.ts';
import { requireMerchant } from '../require-merchant.ts';
import { countQueuedOrders, forgetFinishedOrders } from './queued-orders.ts';

const halfDone =
  'The member is erased in PostgreSQL, but orders of theirs may be left in failed jobs in Redis. Run the same command ' +
  'again when Redis answers: it removes what is left.';

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
        throw new CommandFailed(
          `${queued} orders of the member are not stored yet. Nothing was erased: try again in a moment.`,
        );
      const erasure = await eraseMember(database, merchant, member, { cancelDeliveries });
      // Also when nobody is found: an earlier run may have been stopped in between.
      const forgotten = await forgetFinishedOrders(sync, owner).catch((cause: unknown) => {
        throw erasure ? new CommandFailed(halfDone, { cause }) : cause;
      });
      if (!erasure && forgotten.failed === 0)
        throw new CommandFailed(
          `Merchant ${merchant} has no member ${member} and no order of theirs, in PostgreSQL or in Redis.`,
        );
      return { document: { ...erasure, jobsForgotten: forgotten.completed + forgotten.failed } };
    } catch (error) {
      throw error instanceof ErasureRefused ? new CommandFailed(error.message) : error;
    } finally {
      await Promise.all(queues.map((queue) => queue.close()));
    }
  },
});
