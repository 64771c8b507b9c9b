import type { RequestHandler } from 'express';
import Joi from 'joi';
import { findMemberSummary } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { ApiError } from '../http/api-error.ts';
import { queryReader } from '../http/read-query.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

const readQuery = queryReader(Joi.object({}));

/**
 * GET /api/open/members/{member_id}/: a member's referral code, share link and referrer, and the numbers of their referees,
 * orders and rewards. `publicUrl` is the start of share links, without a slash at the end.
 */
export function showMember({
  database,
  publicUrl,
}: {
  database: Database;
  publicUrl: string;
}): RequestHandler {
  return async (request, response) => {
    readQuery(request);
    const { merchantId } = ownerOf(response);
    const memberId = String(request.params['member_id']);
    // PostgreSQL does not accept NUL in a text, and no member id contains one.
    const member = memberId.includes('\0')
      ? undefined
      : await withDatabaseTimeout(findMemberSummary(database, merchantId, memberId));
    if (!member)
      throw new ApiError(
        'not_found',
        'There is no member with this id. A member exists from their first boot call, link or order.',
      );
    const { code, landingUrl, referrer, rewards } = member;
    response.status(200).json({
      data: {
        member_id: memberId,
        referral_code: code,
        share_link: code === null || landingUrl === null ? null : `${publicUrl}/r/${code}`,
        created_at: member.createdAt?.toISOString() ?? null,
        referrer: referrer && {
          member_id: referrer.memberId,
          referral_id: referrer.referralId,
          code: referrer.code,
          linked_at: referrer.linkedAt.toISOString(),
          review: referrer.review,
        },
        counts: { referees: member.referees, orders: member.orders, rewards },
      },
    });
  };
}
