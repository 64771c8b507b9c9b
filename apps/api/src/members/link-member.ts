import type { RequestHandler } from 'express';
import { validateLink } from '@rewardhook/contract';
import { insertReferral, ReferralCycle } from '@rewardhook/database';
import type { Database, NewReferral } from '@rewardhook/database';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { parseBody } from '../http/read-body.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import type { EnqueueEarlierOrders } from './enqueue-earlier-orders.ts';

/** POST /api/open/members/link/: the merchant's server links a referee to a referrer. A link never changes. */
export function linkMember(database: Database, enqueueEarlierOrders: EnqueueEarlierOrders): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const validation = validateLink(parseBody(request));
    if (validation.kind === 'invalid') throw invalidRequest(validation.params);
    const { referrer_member_id: referrerMemberId, referee_member_id: refereeMemberId } = validation.value;
    if (referrerMemberId === refereeMemberId)
      throw invalidRequest({ referee_member_id: 'must differ from referrer_member_id' });

    // The merchant's server is trusted: no velocity limits apply. Look-alike ids are flagged when the link is stored.
    const link: NewReferral = { merchantId, referrerMemberId, refereeMemberId, source: 'link', flags: [] };
    const linking = insertReferral(database, link).catch((error: unknown) => {
      throw error instanceof ReferralCycle ? referralCycle() : error;
    });
    const { referral, isNew } = await withDatabaseTimeout(linking);
    if (referral.referrerMemberId !== referrerMemberId)
      throw new ApiError(
        'already_linked',
        'The referee already has another referrer, and a link never changes.',
      );
    await withDatabaseTimeout(enqueueEarlierOrders(merchantId, referral));
    response.status(isNew ? 201 : 200).json({
      data: {
        id: referral.id,
        referrer_member_id: referral.referrerMemberId,
        referee_member_id: referral.refereeMemberId,
        code: referral.code,
        linked_at: referral.linkedAt.toISOString(),
        flags: referral.flags,
        review: referral.review,
      },
    });
  };
}

function referralCycle(): ApiError {
  return new ApiError(
    'referral_cycle',
    'The referee has referred the referrer, directly or through others. Referrals must not form a cycle.',
  );
}
