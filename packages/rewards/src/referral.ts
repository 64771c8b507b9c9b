/**
 * State of a referral's review: `none` needs no review. While it is `pending`, rewards of the referral stay pending.
 * A `rejected` referral earns no reward.
 */
export type ReviewState = 'none' | 'pending' | 'accepted' | 'rejected';

/** A referral: the referrer referred the referee to the merchant. */
export interface ReferralState {
  id: string;
  code: string;
  referrerMemberId: string;
  refereeMemberId: string;
  /** ISO 8601 in UTC with microseconds. */
  linkedAt: string;
  review: ReviewState;
}

/** The side of a referral that receives a reward. */
export type Role = 'referee' | 'referrer';

/** Whether rewards of the referral stay pending until the referral is accepted. */
export function isUnderReview(referral: ReferralState | null): boolean {
  return referral?.review === 'pending';
}
