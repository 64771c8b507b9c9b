import { isUuid } from '@rewardhook/contract';
import { findDelivery, listDeliveries, retryDelivery } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { readLimit, requireMerchant } from '../option-values.ts';

export const deliveryList = command({
  description: "List a merchant's deliveries, newest first.",
  audit: null,
  required: { merchant: 'merchant id' },
  optional: {
    state: 'pending, held, delivered, exhausted or cancelled',
    webhook: 'webhook id',
    limit: '1 to 1000 (default 50)',
  },
  async run({ merchant, state, webhook, limit = '50' }, { database }) {
    const count = readLimit(limit);
    await requireMerchant(database, merchant);
    const deliveries = await listDeliveries(database, merchant, {
      ...(state ? { state } : {}),
      ...(webhook ? { endpointId: webhook } : {}),
      limit: count,
    });
    return { document: { deliveries } };
  },
});

export const deliveryShow = command({
  description: 'Show a delivery with its event and every attempt.',
  audit: null,
  required: { merchant: 'merchant id', delivery: 'delivery id' },
  async run({ merchant, delivery }, { database }) {
    const found = isUuid(delivery) ? await findDelivery(database, merchant, delivery) : undefined;
    if (!found) throw new UsageError(`Merchant ${merchant} has no delivery ${delivery}.`);
    return { document: found };
  },
});

export const deliveryRetry = command({
  description:
    'Send a delivery again now, under its id; also one that was delivered or has no retries left. While the circuit ' +
    'breaker of its webhook is open, one delivery per second is sent.',
  audit: 'delivery.retried',
  required: { merchant: 'merchant id', delivery: 'delivery id' },
  async run({ merchant, delivery }, { database }) {
    const retried = isUuid(delivery) ? await retryDelivery(database, merchant, delivery) : undefined;
    if (!retried)
      throw new UsageError(
        `Merchant ${merchant} has no delivery ${delivery} to retry (its webhook may be paused, disabled or deleted, its ` +
          `event too old to be sent, or its member erased).`,
      );
    return { document: { deliveryId: delivery, due: true, nextAttemptAt: retried.at } };
  },
});
