import type { RequestHandler } from 'express';
import { describeFieldError, fieldError, mergeFields } from '@rewardhook/contract';
import { audited, MergeRefused, mergeMembers } from '@rewardhook/database';
import type { Database, MergeResult } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { auditedCall } from '../http/audited-call.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import { readFields } from '../http/read-fields.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';

/** POST /api/open/members/merge/: a member is merged into another one, or gets an id that is unused. */
export function mergeMember(database: Database, enqueueDue: EnqueueDue): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const key = readIdempotencyKey(request);
    const {
      from_member_id: from,
      into_member_id: into,
      reason,
      dry_run: dryRun,
    } = readFields(mergeFields, request.body);
    const merge = () =>
      withDatabaseTimeout(
        mergeMembers(database, merchantId, { from, into }, { key, reason, dryRun }).catch(refuse),
      );
    const call = auditedCall(request, response, 'member.merged');
    const merged = dryRun ? await merge() : await audited(database, call, merge);
    if (!dryRun)
      await withDatabaseTimeout(enqueueDue(merchantId, { enqueued: merged.enqueued, endpointIds: [] }));
    response.status(200).json({ data: { ...mergeView(merged), dry_run: dryRun } });
  };
}

function mergeView(result: MergeResult) {
  return {
    member_id: result.memberId,
    merged_member_id: result.mergedMemberId,
    orders_moved: result.ordersMoved,
    referees_moved: result.refereesMoved,
    referral_id: result.referralId,
    ended_referral: result.endedReferral,
    rewards_cancelled: result.rewardsCancelled,
    rewards_kept: result.rewardsKept,
    kept_reward_ids: result.keptRewardIds,
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof MergeRefused)) throw error;
  const { refusal } = error;
  switch (refusal.code) {
    case 'not_found':
      throw new ApiError('not_found', 'Your shop has no member and no order with from_member_id.');
    case 'key_reused':
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request. Use a new one.',
      );
    case 'same_member':
      throw invalidRequest({ into_member_id: 'means the same member as from_member_id' });
    case 'already_merged':
      throw invalidRequest({ from_member_id: `was merged before: it means ${refusal.memberId}` });
    case 'member_erased':
      throw invalidRequest({ from_member_id: 'or into_member_id is that of an erased member' });
    case 'placeholder_id':
    case 'unseen_characters':
      throw invalidRequest({ into_member_id: describeFieldError(fieldError(refusal.code)) });
    case 'too_many':
      throw invalidRequest({
        from_member_id: `has more than ${refusal.most.toLocaleString('en')} ${refusal.what}: merge in the other direction, or ask us`,
      });
    case 'orders_due':
      throw new ApiError(
        'orders_due',
        `Orders of the members wait for their evaluation (${refusal.orderIds.join(', ')}). Send the request again in a moment.`,
      );
  }
}
