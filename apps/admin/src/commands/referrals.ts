import { listReferralsPage, reviewReferral } from '@rewardhook/database';
import { refuseOptions } from '../act-refusals.ts';
import { command } from '../command.ts';
import { enqueueDue } from '../enqueue-due.ts';
import { readFlag, requireMerchant } from '../option-values.ts';

const maxListed = 1_000;

export const referralList = command({
  description: `List a merchant's referrals with flags and review state, newest first, at most ${maxListed}.`,
  audit: null,
  required: { merchant: 'merchant id' },
  optional: { 'needs-review': 'true lists only those with a pending review' },
  async run({ merchant, needsReview }, { database }) {
    await requireMerchant(database, merchant);
    const search = readFlag('--needs-review', needsReview) ? ({ review: 'pending' } as const) : {};
    const page = { after: null, limit: maxListed };
    const { items, next } = await listReferralsPage(database, merchant, search, page);
    return { document: { referrals: items, more: next !== null } };
  },
});

export const referralAccept = review(
  'accepted',
  'Accept a referral that needs review. Its pending rewards are confirmed when their hold has ended.',
);
export const referralReject = review(
  'rejected',
  'Reject a referral that needs review. Its pending rewards are cancelled, and later orders earn no reward.',
);

/** A command that ends the review of a referral. */
function review(decision: 'accepted' | 'rejected', description: string) {
  return command({
    description,
    audit: `referral.${decision}`,
    required: { merchant: 'merchant id', referral: 'referral id (see referral list)' },
    async run({ merchant, referral: referralId }, context) {
      const { database } = context;
      const ended = { merchantId: merchant, referralId, decision, by: 'operator' };
      const { referral, enqueued } = await reviewReferral(database, ended).catch(refuseOptions);
      const ordersToEvaluate = await enqueueDue({ batches: enqueued }, context);
      return { document: { referral, ordersToEvaluate } };
    },
  });
}
