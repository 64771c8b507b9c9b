import { isPlaceholderId, readReferralCode } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import {
  ActRefused,
  findClickAge,
  findMemberByCode,
  findReferral,
  insertReferral,
  wasNew,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import type { HourlyLimits, VelocityFlag } from '../limits/hourly-limits.ts';
import { enqueueEarlierOrders } from './enqueue-earlier-orders.ts';

/** The result of a boot request's referral code; `link` of the response. */
export type LinkOutcome = Exclude<Answer<'Boot'>['link'], 'unverified'>;

/** A sign of abuse of a link that a browser requests. */
type LinkFlag = VelocityFlag | 'no_click' | 'foreign_origin';

/** A boot request: the member, and how they came to the shop. */
export interface BootedMember {
  merchantId: string;
  memberId: string;
  code: string | undefined;
  clickId: string | undefined;
  /** Maximum age of the click, in days. */
  attributionDays: number;
  address: string | undefined;
  /** Whether the request has a valid `user_hash`. */
  verified: boolean;
  /** Whether the request came from a page of the merchant. */
  fromMerchantPage: boolean;
}

/**
 * Links a member to the owner of their referral code. The member must not have a referrer, not be the owner of the code, and not a
 * referrer of the owner, directly or through others. A known click must not have expired. A link with flags needs review when the
 * member has no valid `user_hash`. A link of a member who was not new earns nothing.
 */
export function linkByCode(database: Database, hourlyLimits: HourlyLimits, enqueueDue: EnqueueDue) {
  return async (member: BootedMember): Promise<LinkOutcome> => {
    const { merchantId, memberId, clickId, verified, fromMerchantPage, address } = member;
    const existing = await findReferral(database, merchantId, memberId);
    if (existing) return existing.hadOrderBefore ? 'not_new' : 'already_linked';
    if (member.code === undefined) return 'no_code';
    const code = readReferralCode(member.code);
    const referrer = await findMemberByCode(database, merchantId, code);
    // A code from before such ids were refused refers nobody.
    if (!referrer || isPlaceholderId(referrer.memberId)) return 'unknown_code';
    if (referrer.memberId === memberId) return 'own_code';
    const clickAge =
      clickId === undefined ? undefined : await findClickAge(database, { id: clickId, merchantId, code });
    if (clickAge !== undefined && clickAge > member.attributionDays) return 'expired';
    const flags: LinkFlag[] = await hourlyLimits.countLink(merchantId, code, address);
    if (!verified && clickAge === undefined) flags.push('no_click');
    if (!verified && !fromMerchantPage) flags.push('foreign_origin');
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
      if (isNew) await enqueueEarlierOrders(database, enqueueDue, merchantId, referral);
      if (!isNew) return 'already_linked';
      // The link is stored in any case: whether it counts is decided by dates, whatever comes first.
      return (await wasNew(database, referral)) ? 'linked' : 'not_new';
    } catch (error) {
      const refused = error instanceof ActRefused ? error.refusal.code : undefined;
      if (refused === 'stale_code') return 'unknown_code';
      if (refused === 'referral_cycle') return 'cycle';
      throw error;
    }
  };
}
