import { mergeFields, textField } from '@rewardhook/contract';
import { MergeRefused, mergeMembers } from '@rewardhook/database';
import type { MergedMemberView, MergeMemberRequest } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { invalidField, notFound, refuse } from '../http/console-error.ts';
import { route } from '../http/route.ts';

const body = mergeFields
  .fork(['from_member_id'], (field) => field.forbidden())
  .append<MergeMemberRequest>({ key: textField(255).required() });

/** POST /members/:member_id/merge: a member is merged into another one, or gets an id that is unused. */
export const mergeMember = ({ database, enqueueDue, log }: ConsoleDependencies) =>
  route<MergeMemberRequest>(
    'developer',
    'POST',
    '/members/:member_id/merge',
    async ({ merchantId, params, body: given, session }): Promise<MergedMemberView> => {
      const { into_member_id: into, reason, key, dry_run: dryRun } = given;
      const request = { from: String(params['member_id']), into };
      const merged = await mergeMembers(database, merchantId, request, { key, reason, dryRun }).catch(
        refuseMerge,
      );
      if (!dryRun && merged.isNew) {
        log.info('member merged', { merchantId, userId: session.userId });
        await enqueueDue(merchantId, { enqueued: merged.enqueued, endpointIds: [] });
      }
      return {
        member_id: merged.memberId,
        orders_moved: merged.ordersMoved,
        referees_moved: merged.refereesMoved,
        ended_referral_id: merged.endedReferral?.id ?? null,
        rewards_cancelled: merged.rewardsCancelled,
        rewards_kept: merged.rewardsKept,
      };
    },
    { audit: 'member.merged', body },
  );

function refuseMerge(error: unknown): never {
  if (!(error instanceof MergeRefused)) throw error;
  const { refusal } = error;
  switch (refusal.code) {
    case 'not_found':
      throw notFound();
    case 'already_merged':
      throw refuse('already_merged', { member: refusal.memberId });
    case 'placeholder_id':
    case 'unseen_characters':
      throw invalidField('into_member_id', refusal.code);
    case 'too_many':
      throw refuse('merge_too_large', { limit: refusal.most });
    case 'same_member':
      throw refuse('one_member');
    case 'key_reused':
    case 'member_erased':
    case 'orders_due':
      throw refuse(refusal.code);
  }
}
