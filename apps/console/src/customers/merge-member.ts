import { mergeFields, textField } from '@rewardhook/contract';
import { mergeMembers } from '@rewardhook/database';
import type { MergeMemberRequest, MergedMemberView } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import type { Handlers } from '../http/route.ts';

/** A member is merged into another one, or gets an id that is unused. */
export const mergeHandlers = ({ database, enqueueDue, log }: ConsoleDependencies) =>
  ({
    'POST /members/:member_id/merge': {
      input: mergeFields
        .fork(['from_member_id'], (field) => field.forbidden())
        .append<MergeMemberRequest>({ key: textField(255).required() }),
      async handle({ merchantId, params: { member_id: from }, input, session }): Promise<MergedMemberView> {
        const { into_member_id: into, reason, key, dry_run: dryRun } = input;
        const merge = { merchantId, from, into, by: session.email, key, reason, dryRun };
        const merged = await mergeMembers(database, merge).catch(refuseAct);
        if (!dryRun && merged.isNew) log.info('member merged', { merchantId, userId: session.userId });
        await enqueueDue(merchantId, merged);
        return {
          member_id: merged.memberId,
          orders_moved: merged.ordersMoved,
          referees_moved: merged.refereesMoved,
          ended_referral_id: merged.endedReferral?.id ?? null,
          rewards_cancelled: merged.rewardsCancelled,
          rewards_kept: merged.rewardsKept,
        };
      },
    },
  }) satisfies Partial<Handlers>;
