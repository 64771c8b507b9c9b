import type { RequestHandler } from 'express';
import { describeFieldError, fieldError, moveFields } from '@rewardhook/contract';
import { audited, moveLink as storeMove, noEffects, previewMove } from '@rewardhook/database';
import type { Database, MovedLink, MovePreview } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { refuseAct } from '../http/act-refusals.ts';
import { invalidRequest } from '../http/api-error.ts';
import { auditedCall } from '../http/audited-call.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import { readFields } from '../http/read-fields.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { findReferrer, orderRewardsView, unreadable } from './link-member.ts';

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
    // Before the move is stored: from then on the evaluator changes these rewards.
    const preview = await withDatabaseTimeout(previewMove(database, merchantId, move).catch(unreadable));
    const moved = await audited(database, call, () =>
      withDatabaseTimeout(storeMove(database, move).catch(refuseAct)),
    );
    const { enqueued } = moved;
    if (!dryRun) await withDatabaseTimeout(enqueueDue(merchantId, { enqueued, endpointIds: [] }));
    response.json({ data: moveView(moved, moved.isNew ? preview : noEffects, dryRun) });
  };
}

function moveView(
  { referral, formerReferrerMemberId }: MovedLink,
  preview: MovePreview | null,
  dryRun: boolean,
): object {
  const effects = (of: 'withdrawn' | 'given') =>
    preview && { rewards: preview[of].rewards, ...orderRewardsView(preview[of]) };
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
    withdrawn: effects('withdrawn'),
    given: effects('given'),
    complete: preview?.complete ?? false,
  };
}

/** @throws ApiError unless the referrer is given by their id or by their code */
function requireOneReferrer(fields: { referrer_member_id?: string; referral_code?: string }): void {
  const given = [fields.referrer_member_id, fields.referral_code].filter((value) => value !== undefined);
  if (given.length === 1) return;
  const code = given.length === 0 ? 'required_unless' : 'not_together_with';
  throw invalidRequest({
    referrer_member_id: describeFieldError(fieldError(code, { field: 'referral_code' })),
  });
}
