import type { MerchantIds } from '../console/merchant-with-data.ts';
import type { Flow } from '../harness/start-flow.ts';

/** Brings rows of the merchant back into the state that an action needs. */
export function openRowResets({ database }: Flow, ids: MerchantIds) {
  // No worker continues the replay meanwhile.
  const later = new Date(Date.now() + 3_600_000);
  return {
    /** Sets the state of the replay. */
    setReplay: (state: string) =>
      database.replay.updateMany({
        where: { id: ids.replayId },
        data: { state, finishedAt: null, nextAt: later },
      }),
    /** Makes the referral need a review again. */
    needsReview: () =>
      database.referral.updateMany({
        where: { id: ids.referralId },
        data: { review: 'pending', reviewedBy: null, reviewedAt: null },
      }),
    /** Registers the webhooks for what a corrected reward is notified with. */
    hearRevocations: () =>
      database.endpoint.updateMany({
        where: { merchantId: ids.merchantId },
        data: { eventTypes: ['reward.issue', 'reward.revoke'] },
      }),
  };
}
