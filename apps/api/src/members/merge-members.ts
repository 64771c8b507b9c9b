import type { RequestHandler } from 'express';
import { mergeFields } from '@rewardhook/contract';
import type { Answer } from '@rewardhook/contract';
import { audited, mergeMembers } from '@rewardhook/database';
import type { Database, MergeResult } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { refuseAct } from '../http/act-refusals.ts';
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
        mergeMembers(database, { merchantId, from, into, by: 'api', key, reason, dryRun }).catch(refuseAct),
      );
    const call = auditedCall(request, response, 'member.merged');
    const merged = dryRun ? await merge() : await audited(database, call, merge);
    await withDatabaseTimeout(enqueueDue(merchantId, merged));
    response.status(200).json({ data: mergeView(merged, dryRun) });
  };
}

function mergeView(result: MergeResult, dryRun: boolean): Answer<'Merge'> {
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
    dry_run: dryRun,
  };
}
