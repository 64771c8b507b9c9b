import type { RequestHandler } from 'express';
import { fieldError, moveFields } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import { audited, moveLink as storeMove } from '@rewardhook/database';
import type { Database, MovedLink } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { refuseAct } from '../http/act-refusals.ts';
import { invalidRequest } from '../http/api-error.ts';
import { auditedCall } from '../http/audited-call.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import { readFields } from '../http/read-fields.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { findReferrer, orderRewardsView } from './link-member.ts';

/**
 * POST /api/open/members/move-link/: a person moves the link of a referee to another referrer, or says which order came from the
 * referrer. The evaluation that follows takes back what the former referrer got, and gives the new one what the rules allow.
 */
export function moveLink(database: Database, enqueueDue: EnqueueDue): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const key = readIdempotencyKey(request);
    const fields = readFields(moveFields, request.body);
    requireOneReferrer(fields);
    const { dry_run: dryRun, from_order_id: fromOrderId = null, reason } = fields;
    const referrer = await findReferrer(database, merchantId, fields);
    const move = {
      ...referrer,
      ...{
        merchantId,
        refereeMemberId: fields.referee_member_id,
        fromOrderId,
        reason,
        by: 'api',
        key,
        dryRun,
      },
    };
    const call = auditedCall(request, response, 'referral.moved');
    const moved = await audited(database, call, () =>
      // Twice the usual time: the effects are computed before the move is stored.
      withDatabaseTimeout(storeMove(database, move).catch(refuseAct), 20_000),
    );
    await withDatabaseTimeout(enqueueDue(merchantId, moved));
    response.json({ data: moveView(moved, dryRun) });
  };
}

function moveView(
  { referral, formerReferrerMemberId, effects }: MovedLink,
  dryRun: boolean,
): Answer<'MovedLink'> {
  const effectsView = (of: 'withdrawn' | 'given') =>
    effects && { rewards: effects[of].rewards, ...orderRewardsView(effects[of]) };
  return {
    id: referral.id,
    referrer_member_id: referral.referrerMemberId,
    former_referrer_member_id: formerReferrerMemberId,
    referee_member_id: referral.refereeMemberId,
    code: referral.code,
    linked_at: referral.linkedAt.toISOString(),
    from_order_id: referral.fromOrderId,
    review: referral.review,
    dry_run: dryRun,
    withdrawn: effectsView('withdrawn'),
    given: effectsView('given'),
    complete: effects?.complete ?? false,
  };
}

/** @throws ApiError unless the referrer is given by their id or by their code */
function requireOneReferrer(fields: { referrer_member_id?: string; referral_code?: string }): void {
  const given = [fields.referrer_member_id, fields.referral_code].filter((value) => value !== undefined);
  if (given.length === 1) return;
  const code = given.length === 0 ? 'required_unless' : 'not_together_with';
  throw invalidRequest({ referrer_member_id: fieldError(code, { field: 'referral_code' }) });
}
