import {
  StaleReferralCode,
  findClickAge,
  findMemberByCode,
  findReferral,
  hasOrders,
  insertReferral,
  ReferralCycle,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { FlagLink } from './flag-link.ts';
import type { EnqueueEarlierOrders } from './enqueue-earlier-orders.ts';

/** What became of the referral code that came with a boot call. */
export type LinkOutcome =
  'linked' | 'already_linked' | 'no_code' | 'unknown_code' | 'own_code' | 'cycle' | 'not_new' | 'expired';

/** A member who boots, and what is known of how they came. */
export interface BootArrival {
  merchantId: string;
  memberId: string;
  code: string | undefined;
  clickId: string | undefined;
  /** Most days from a known click until now. */
  attributionDays: number;
  address: string | undefined;
  /** Whether a right `user_hash` came with the call. */
  verified: boolean;
  /** Whether the call came from a page of the merchant's. */
  fromOwnPage: boolean;
}

/**
 * Links a member to the owner of the code they came with, when they are new: no referrer yet, no order yet, not
 * themselves, and not the referrer's own referrer, directly or through others. A known click must be young enough. A
 * flagged link of a member without a right `user_hash` needs review.
 */
export function linkByCode(
  database: Database,
  flagLink: FlagLink,
  enqueueEarlierOrders: EnqueueEarlierOrders,
) {
  return async (arrival: BootArrival): Promise<LinkOutcome> => {
    const { merchantId, memberId, clickId, verified, fromOwnPage, address } = arrival;
    if (await findReferral(database, merchantId, memberId)) return 'already_linked';
    if (arrival.code === undefined) return 'no_code';
    const code = arrival.code.toUpperCase();
    const referrer = await findMemberByCode(database, merchantId, code);
    if (!referrer) return 'unknown_code';
    if (referrer.memberId === memberId) return 'own_code';
    if (await hasOrders(database, merchantId, memberId)) return 'not_new';
    const clickAge =
      clickId === undefined ? undefined : await findClickAge(database, { id: clickId, merchantId, code });
    if (clickAge !== undefined && clickAge > arrival.attributionDays) return 'expired';
    const clicked = clickAge !== undefined;
    const flags = await flagLink({ merchantId, code, address, verified, clicked, fromOwnPage });
    const refereeMemberId = memberId;
    const link = {
      merchantId,
      referrerMemberId: referrer.memberId,
      refereeMemberId,
      source: 'boot',
      code,
    } as const;
    try {
      const needsReview = !verified && flags.length > 0;
      const { referral, isNew } = await insertReferral(database, { ...link, flags, needsReview });
      await enqueueEarlierOrders(merchantId, referral);
      return isNew ? 'linked' : 'already_linked';
    } catch (error) {
      if (error instanceof StaleReferralCode) return 'unknown_code';
      if (error instanceof ReferralCycle) return 'cycle';
      throw error;
    }
  };
}
