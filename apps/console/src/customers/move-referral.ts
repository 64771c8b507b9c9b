import Joi from 'joi';
import { readReferralCode, textField } from '@rewardhook/contract';
import {
  findMemberByCode,
  findMemberCode,
  hasOrders,
  listReferralsPage,
  moveLink,
  resolveMember,
} from '@rewardhook/database';
import type { Database, MovePreview } from '@rewardhook/database';
import type { MovedReferral, RewardSums } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import { notFound, refuse } from '../http/console-error.ts';
import type { Call, Handlers } from '../http/route.ts';

const moveInput = {
  referrer: textField(500).required(),
  from_order_id: textField(255),
  reason: textField(1_000).required(),
  key: textField(255).required(),
  dry_run: Joi.boolean().required(),
};

/** A person gives a member another referrer, or a first one, or sees what that would change. */
export function moveHandlers({ database, enqueueDue, log }: ConsoleDependencies) {
  async function move(
    {
      merchantId,
      input,
      session,
    }: Pick<Call<'POST /referrals/:id/move'>, 'merchantId' | 'input' | 'session'>,
    refereeMemberId: string,
  ): Promise<MovedReferral> {
    const { reason, key, dry_run: dryRun, from_order_id: fromOrderId = null } = input;
    const referrer = await findReferrer(database, merchantId, input.referrer);
    const wanted = {
      ...{ ...referrer, merchantId, refereeMemberId, fromOrderId, linksWithoutOrder: true },
      ...{ reason, by: session.email, key, dryRun },
    };
    const moved = await moveLink(database, wanted).catch(refuseAct);
    if (!dryRun && moved.isNew)
      log.info('referral moved', { merchantId, referralId: moved.referral.id, userId: session.userId });
    await enqueueDue(merchantId, moved);
    const { effects } = moved;
    return {
      referrer_member_id: referrer.referrerMemberId,
      withdrawn: effects && sumsOf(effects.withdrawn),
      given: effects && sumsOf(effects.given),
    };
  }

  return {
    'POST /referrals/:id/move': {
      input: moveInput,
      async handle(call) {
        const { merchantId, params } = call;
        const page = { after: null, limit: 1 };
        const { items } = await listReferralsPage(database, merchantId, { id: params.id }, page);
        const [referral] = items;
        // One that ended when members were merged leads to nobody.
        if (!referral || referral.ended !== null) throw notFound();
        return move(call, referral.referee_member_id);
      },
    },

    'POST /members/:member_id/referrer': {
      input: moveInput,
      async handle(call) {
        const { merchantId, params } = call;
        const memberId = await resolveMember(database, merchantId, params.member_id);
        const isKnown =
          (await findMemberCode(database, merchantId, memberId)) !== undefined ||
          (await hasOrders(database, merchantId, memberId));
        if (!isKnown) throw notFound();
        return move(call, memberId);
      },
    },
  } satisfies Partial<Handlers>;
}

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
