import { retryParked } from '@rewardhook/database/stages';
import { command } from '../command.ts';
import { enqueueDue } from '../enqueue-due.ts';
import { requireMerchant } from '../option-values.ts';

export const evaluationRetry = command({
  description: 'Evaluate parked orders again: their evaluation failed repeatedly. "doctor" lists them.',
  audit: 'evaluation.retried',
  required: {},
  optional: { merchant: 'merchant id (default: all merchants)' },
  async run({ merchant }, context) {
    if (merchant !== undefined) await requireMerchant(context.database, merchant);
    const due = await retryParked(context.database, merchant);
    return { document: { ordersRetried: await enqueueDue({ batches: due }, context) } };
  },
});
