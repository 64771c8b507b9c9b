import { reviewReferral, listReferralsPage } from '@rewardhook/database';
import { openProducer } from '@rewardhook/pipeline';
import { command, UsageError } from '../command.ts';
import { readFlag } from '../read-linking.ts';
import { requireMerchant } from '../require-merchant.ts';

const mostListed = 1_000;

export const referralList = command({
  does: `List a merchant's referrals with flags and review, newest first, ${mostListed} at most.`,
  required: { merchant: 'merchant id' },
  optional: { 'needs-review': 'true: only those that somebody has to accept or reject' },
  async run({ merchant, 'needs-review': needsReview }, { database }) {
    await requireMerchant(database, merchant);
    const waiting = needsReview !== undefined && readFlag('--needs-review', needsReview);
    const search = waiting ? ({ review: 'pending' } as const) : {};
    const page = { after: null, limit: mostListed };
    const { items, next } = await listReferralsPage(database, merchant, search, page);
    return { document: { referrals: items, more: next !== null } };
  },
});

export const referralAccept = review(
  'accepted',
  'Accept a referral that needs review: rewards that waited for it are confirmed when their hold is over.',
);
export const referralReject = review(
  'rejected',
  'Reject a referral that needs review: rewards that waited for it are cancelled, later orders earn none.',
);

/** A command that decides about a referral. */
function review(decision: 'accepted' | 'rejected', does: string) {
  return command({
    does,
    required: { merchant: 'merchant id', referral: 'referral id (see referral list)' },
    async run({ merchant, referral: referralId }, { database, queuePrefix, redis, warn }) {
      const reviewed = await reviewReferral(database, merchant, { referralId, decision, by: 'operator' });
      if (!reviewed) throw new UsageError(`Merchant ${merchant} has no referral ${referralId}.`);
      const { referral, changed, due } = reviewed;
      if (!changed)
        throw new UsageError(
          referral.review === 'none'
            ? `The referral ${referralId} needs no review.`
            : `The referral ${referralId} was ${referral.review} by ${referral.reviewedBy} already.`,
        );
      try {
        await openProducer('reward-evaluation', await redis(), queuePrefix).enqueue(due);
      } catch {
        warn('Redis is away: the orders of the referee are evaluated when it is back.');
      }
      return { document: { referral, ordersToJudge: due.reduce((sum, { orders }) => sum + orders, 0) } };
    },
  });
}
