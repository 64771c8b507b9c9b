import { reviewReferral, searchReferrals, searchRewards } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { ReferralDetail } from '../api-types.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { conflict, notFound } from '../http/console-error.ts';
import { route } from '../http/route.ts';

/** GET /referrals/:id */
export const showReferral = ({ database }: ConsoleParts) =>
  route('viewer', 'GET', '/referrals/:id', ({ merchantId, params }) =>
    viewReferral(database, merchantId, String(params['id'])),
  );

/** POST /referrals/:id/accept */
export const acceptReferral = (parts: ConsoleParts) => review(parts, 'accept', 'accepted');

/** POST /referrals/:id/reject */
export const rejectReferral = (parts: ConsoleParts) => review(parts, 'reject', 'rejected');

function review(
  { database, evaluation, log }: ConsoleParts,
  verb: 'accept' | 'reject',
  decision: 'accepted' | 'rejected',
) {
  return route(
    'developer',
    'POST',
    `/referrals/:id/${verb}`,
    async ({ merchantId, params, session }): Promise<ReferralDetail> => {
      const referralId = String(params['id']);
      const reviewed = await reviewReferral(database, merchantId, {
        referralId,
        decision,
        by: session.email,
      });
      if (!reviewed) throw notFound();
      if (!reviewed.changed)
        throw conflict('The referral does not need review, or somebody has decided already.');
      log.info('a referral was reviewed', { merchantId, referralId, decision, userId: session.userId });
      await evaluation
        .enqueue(reviewed.due)
        .catch((error: unknown) => log.warn('the evaluation is left to the sweeper', { merchantId, error }));
      return viewReferral(database, merchantId, referralId);
    },
  );
}

async function viewReferral(database: Database, merchantId: string, id: string): Promise<ReferralDetail> {
  const page = { after: null, limit: 50 };
  const [found, rewards] = await Promise.all([
    searchReferrals(database, merchantId, { id }, page),
    searchRewards(database, merchantId, { referralId: id }, page),
  ]);
  const [referral] = found.items;
  if (!referral) throw notFound();
  return { referral, rewards: rewards.items };
}
