import { rebuildFigures } from '@rewardhook/database';
import { command } from '../command.ts';
import { requireMerchant } from '../option-values.ts';

export const figuresRebuild = command({
  description:
    'Write the rows behind the figures of a merchant again, from its orders, referrals and rewards: which ' +
    'orders referrals brought, and which of them is the first. Rewards stay as they are.',
  audit: 'figures.rebuilt',
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    return { document: await rebuildFigures(database, merchant) };
  },
});
