import {
  CodeGone,
  findMemberByCode,
  findReferral,
  hasOrders,
  insertReferral,
  isClickExpired,
} from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import type { FlagLink } from './flag-link.ts';
import type { JudgeEarlierOrders } from './judge-earlier-orders.ts';

/** What became of the referral code that came with a boot call. */
export type LinkOutcome =
  'linked' | 'already_linked' | 'no_code' | 'unknown_code' | 'own_code' | 'not_new' | 'expired';

/** A member who boots, and what is known of how he came. */
export interface Arrival {
  merchantId: string;
  memberId: string;
  code: string | undefined;
  clickId: string | undefined;
  /** Most days from a known click until now. */
  attributionDays: number;
  address: string | undefined;
}

/**
 * Links a member to the owner of the code he came with, when he is new: no referrer yet, no order yet, and not
 * himself. A known click must be young enough.
 */
export function linkByCode(database: Database, flagLink: FlagLink, judgeEarlier: JudgeEarlierOrders) {
  return async (arrival: Arrival): Promise<LinkOutcome> => {
    const { merchantId, memberId, clickId } = arrival;
    if (await findReferral(database, merchantId, memberId)) return 'already_linked';
    if (arrival.code === undefined) return 'no_code';
    const code = arrival.code.toUpperCase();
    const referrer = await findMemberByCode(database, merchantId, code);
    if (!referrer) return 'unknown_code';
    if (referrer.memberId === memberId) return 'own_code';
    if (await hasOrders(database, merchantId, memberId)) return 'not_new';
    const click = clickId === undefined ? undefined : { id: clickId, merchantId, code };
    if (click && (await isClickExpired(database, click, arrival.attributionDays))) return 'expired';
    const linked = await insertReferral(database, {
      merchantId,
      referrerMemberId: referrer.memberId,
      refereeMemberId: memberId,
      source: 'boot',
      flags: await flagLink({ merchantId, code, address: arrival.address }),
      code,
    }).catch((error: unknown) => {
      if (!(error instanceof CodeGone)) throw error;
    });
    if (!linked) return 'unknown_code';
    const { referral, isNew } = linked;
    await judgeEarlier(merchantId, referral);
    return isNew ? 'linked' : 'already_linked';
  };
}
