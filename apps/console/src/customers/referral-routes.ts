import { listReferralsPage, listRewardsPage, reviewReferral } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { ReferralDetail } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import { notFound } from '../http/console-error.ts';
import { route } from '../http/route.ts';

/** GET /referrals/:id */
export const showReferral = ({ database }: ConsoleDependencies) =>
  route('viewer', 'GET', '/referrals/:id', ({ merchantId, params }) =>
    readReferralDetail(database, merchantId, String(params['id'])),
  );

/** POST /referrals/:id/accept */
export const acceptReferral = (dependencies: ConsoleDependencies) =>
  review(dependencies, 'accept', 'accepted');

/** POST /referrals/:id/reject */
export const rejectReferral = (dependencies: ConsoleDependencies) =>
  review(dependencies, 'reject', 'rejected');

function review(
  { database, enqueueDue, log }: ConsoleDependencies,
  verb: 'accept' | 'reject',
  decision: 'accepted' | 'rejected',
) {
  return route(
    'developer',
    'POST',
    `/referrals/:id/${verb}`,
    async ({ merchantId, params, session }): Promise<ReferralDetail> => {
      const referralId = String(params['id']);
      const wanted = { merchantId, referralId, decision, by: session.email };
      const reviewed = await reviewReferral(database, wanted).catch(refuseAct);
      log.info('referral reviewed', { merchantId, referralId, decision, userId: session.userId });
      await enqueueDue(merchantId, reviewed);
      return readReferralDetail(database, merchantId, referralId);
    },
    { audit: `referral.${decision}` },
  );
}

async function readReferralDetail(
  database: Database,
  merchantId: string,
  id: string,
): Promise<ReferralDetail> {
  const page = { after: null, limit: 50 };
  const [found, rewards] = await Promise.all([
    listReferralsPage(database, merchantId, { id }, page),
    listRewardsPage(database, merchantId, { referralId: id }, page),
  ]);
  const [referral] = found.items;
  if (!referral) throw notFound();
  return { referral, rewards: rewards.items };
}
