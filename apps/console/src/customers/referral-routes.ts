import { listReferralsPage, listRewardsPage, reviewReferral } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { ReferralDetail } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

export function referralHandlers({ database, enqueueDue, log }: ConsoleDependencies) {
  const review =
    (decision: 'accepted' | 'rejected'): Handlers['POST /referrals/:id/accept'] =>
    async ({ merchantId, params: { id: referralId }, session }) => {
      const wanted = { merchantId, referralId, decision, by: session.email };
      const reviewed = await reviewReferral(database, wanted).catch(refuseAct);
      log.info('referral reviewed', { merchantId, referralId, decision, userId: session.userId });
      await enqueueDue(merchantId, reviewed);
      return readReferralDetail(database, merchantId, referralId);
    };

  return {
    'GET /referrals/:id': ({ merchantId, params }) => readReferralDetail(database, merchantId, params.id),
    'POST /referrals/:id/accept': review('accepted'),
    'POST /referrals/:id/reject': review('rejected'),
  } satisfies Partial<Handlers>;
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
