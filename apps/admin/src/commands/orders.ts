import { explainOrder, findOrder } from '@rewardhook/database';
import { command, UsageError } from '../command.ts';
import { toReferralDocument } from '../documents.ts';

export const orderShow = command({
  description: 'Show a stored order with its decisions, rewards, events and deliveries.',
  audit: null,
  required: { merchant: 'merchant id', order: 'order id' },
  async run({ merchant, order }, { database }) {
    const found = await findOrder(database, merchant, order);
    if (!found) throw new UsageError(`Merchant ${merchant} has no order ${order}.`);
    const { referral } = found;
    return { document: { ...found, referral: referral && toReferralDocument(referral) } };
  },
});

export const orderExplain = command({
  description:
    'Explain why an order earned what it did: the JSON that GET /api/open/orders/{order_id}/explain/ returns to the merchant.',
  audit: null,
  required: { merchant: 'merchant id', order: 'order id' },
  async run({ merchant, order }, { database }) {
    const explanation = await explainOrder(database, merchant, order);
    if (!explanation) throw new UsageError(`Merchant ${merchant} has no order ${order}.`);
    return { document: explanation };
  },
});
