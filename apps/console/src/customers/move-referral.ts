import Joi from 'joi';
import { readReferralCode, textField } from '@rewardhook/contract';
import { findMemberByCode, findMemberCode, listReferralsPage, moveLink } from '@rewardhook/database';
import type { Database, MovePreview } from '@rewardhook/database';
import type { MovedReferral, RewardSums } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import { notFound, refuse } from '../http/console-error.ts';
import type { Handlers } from '../http/route.ts';

/** A person gives a referee another referrer, or sees what that would change. */
export const moveHandlers = ({ database, enqueueDue, log }: ConsoleDependencies) =>
  ({
    'POST /referrals/:id/move': {
      input: {
        referrer: textField(500).required(),
        from_order_id: textField(255),
        reason: textField(1_000).required(),
        key: textField(255).required(),
        dry_run: Joi.boolean().required(),
      },
      async handle({ merchantId, params: { id }, input, session }): Promise<MovedReferral> {
        const { items } = await listReferralsPage(database, merchantId, { id }, { after: null, limit: 1 });
        const [referral] = items;
        // One that ended when members were merged leads to nobody.
        if (!referral || referral.ended !== null) throw notFound();
        const { reason, key, dry_run: dryRun, from_order_id: fromOrderId = null } = input;
        const referrer = await findReferrer(database, merchantId, input.referrer);
        const move = {
          ...{ ...referrer, merchantId, refereeMemberId: referral.referee_member_id, fromOrderId },
          ...{ reason, by: session.email, key, dryRun },
        };
        const moved = await moveLink(database, move).catch(refuseAct);
        if (!dryRun && moved.isNew)
          log.info('referral moved', { merchantId, referralId: id, userId: session.userId });
        await enqueueDue(merchantId, moved);
        const { effects } = moved;
        return {
          referrer_member_id: referrer.referrerMemberId,
          withdrawn: effects && sumsOf(effects.withdrawn),
          given: effects && sumsOf(effects.given),
        };
      },
    },
  }) satisfies Partial<Handlers>;

/** The member with this id, or with this code in any form. @throws ConsoleError */
async function findReferrer(
  database: Database,
  merchantId: string,
  text: string,
): Promise<{ referrerMemberId: string; code?: string }> {
  if ((await findMemberCode(database, merchantId, text)) !== undefined) return { referrerMemberId: text };
  const code = readReferralCode(text);
  const member = code === '' ? undefined : await findMemberByCode(database, merchantId, code);
  if (!member) throw refuse('referrer_unknown');
  return { referrerMemberId: member.memberId, code };
}

function sumsOf({ rewards, totals }: MovePreview['given']): RewardSums {
  return { rewards, totals: Object.entries(totals).map(([unit, amount]) => ({ unit, amount })) };
}
