import type { RequestHandler } from 'express';
import { fieldError, readReferralCode, validateLink } from '@rewardhook/contract';
import type { Answer, MoveRequest } from '@rewardhook/contract';
import {
  findMemberByCode,
  insertReferral,
  isDataError,
  previewLink,
  resolveMember,
} from '@rewardhook/database';
import type { Database, LinkPreview, NewReferral, OrderRewards } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { refuseAct, unknownCode } from '../http/act-refusals.ts';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { isStrict } from '../http/handling-preference.ts';
import { warningFields } from '../http/warnings.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { enqueueEarlierOrders } from './enqueue-earlier-orders.ts';

/**
 * POST /api/open/members/link/: the merchant's server links a referee to a referrer, who is given by their id or by their
 * referral code. It replaces the link of a boot if the referee was not new, and no other link.
 */
export function linkMember(database: Database, enqueueDue: EnqueueDue): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const validation = validateLink(request.body, { strict: isStrict(request, response) });
    if (validation.kind === 'invalid') throw invalidRequest(validation.errors);
    const { referee_member_id: sentRefereeId, dry_run: dryRun = false } = validation.value;
    const refereeMemberId = await withDatabaseTimeout(resolveMember(database, merchantId, sentRefereeId));
    const referrer = await findReferrer(database, merchantId, validation.value);
    if (referrer.referrerMemberId === refereeMemberId)
      throw invalidRequest({
        referee_member_id:
          referrer.code === undefined
            ? 'must differ from referrer_member_id'
            : 'must not be the owner of referral_code',
      });

    // The merchant's server is trusted: no velocity limits apply. Look-alike ids are flagged when the link is stored.
    const link: NewReferral = { ...referrer, merchantId, refereeMemberId, source: 'link', flags: [], dryRun };
    // Before the link is stored: from then on the evaluator gives these rewards.
    const preview = await withDatabaseTimeout(previewLink(database, merchantId, link).catch(unreadable));
    const linking = insertReferral(database, link).catch(refuseAct);
    const { referral, isNew } = await withDatabaseTimeout(linking);
    if (referral.referrerMemberId !== referrer.referrerMemberId)
      throw new ApiError(
        'already_linked',
        'The referee already has another referrer. The first link of your server is kept, and counts if the referee ' +
          'turns out not to have been new when they followed a code.',
      );
    // The request that creates a link enqueues the orders; when it fails before that, the sweeper does. A repeated request must
    // not enqueue all orders of the referee again.
    if (isNew && !dryRun)
      await withDatabaseTimeout(enqueueEarlierOrders(database, enqueueDue, merchantId, referral));
    const data: Answer<'Link'> = {
      id: referral.id,
      referrer_member_id: referral.referrerMemberId,
      referee_member_id: referral.refereeMemberId,
      code: referral.code,
      linked_at: referral.linkedAt.toISOString(),
      flags: referral.flags,
      review: referral.review,
      dry_run: dryRun,
      // A link that exists already has no new rewards.
      earlier_orders: earlierOrdersView(isNew ? preview : nothingEarned),
    };
    response.status(isNew && !dryRun ? 201 : 200).json({
      data,
      ...warningFields(response, {
        found: { ...validation.warnings, ...(!isNew && linkedBefore) },
        orderIds: {},
      }),
    });
  };
}

/** No preview, when a stored order cannot be read. Its evaluation fails as well, and is parked; the link is made all the same. */
function unreadable(error: unknown): null {
  if (isDataError(error)) return null;
  throw error;
}

const nothingEarned: LinkPreview = { orders: [], totals: {}, complete: true };

/** What the orders from before the link earn, in the form of the API; null when that cannot be computed. */
function earlierOrdersView(preview: LinkPreview | null): Answer<'Link'>['earlier_orders'] {
  return preview && { ...orderRewardsView(preview), complete: preview.complete };
}

type OrderRewardsAnswer = Pick<NonNullable<Answer<'Link'>['earlier_orders']>, 'orders' | 'totals'>;

/** Rewards of some orders, in the form of the API. */
export function orderRewardsView({ orders, totals }: OrderRewards): OrderRewardsAnswer {
  return {
    orders: orders.map(({ orderId, rewards }) => ({
      order_id: orderId,
      rewards: rewards.map(({ role, memberId, type, amount, unit }) => ({
        ...{ role, member_id: memberId, type, amount, unit },
      })),
    })),
    totals: Object.entries(totals).map(([unit, amount]) => ({ unit, amount })),
  };
}

const linkedBefore = { referee_member_id: [fieldError('linked_before')] };

type ReferrerFields = Pick<MoveRequest, 'referrer_member_id' | 'referral_code'>;

/** The referrer of a request, with the code if it was given. @throws ApiError when no member has the code */
export async function findReferrer(
  database: Database,
  merchantId: string,
  { referrer_member_id: referrerMemberId, referral_code: text = '' }: ReferrerFields,
): Promise<{ referrerMemberId: string; code: string | undefined }> {
  if (referrerMemberId !== undefined) {
    const resolving = resolveMember(database, merchantId, referrerMemberId);
    return { referrerMemberId: await withDatabaseTimeout(resolving), code: undefined };
  }
  const code = readReferralCode(text);
  const member = await withDatabaseTimeout(findMemberByCode(database, merchantId, code));
  if (!member) throw unknownCode();
  return { referrerMemberId: member.memberId, code };
}
