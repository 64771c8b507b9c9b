import { adjustFields, grantFields, revokeFields, textField } from '@rewardhook/contract';
import { correctReward, listRewardsPage } from '@rewardhook/database';
import type { CorrectionRequest, RewardListRow } from '@rewardhook/database';
import type { AdjustRewardRequest, Correction, GrantRewardRequest } from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import { notFound } from '../http/console-error.ts';
import type { Handlers, SignedInCall } from '../http/route.ts';

const key = textField(255).required();

/** Corrections of the rewards of an order by a person. `key` makes a repeated call return what the first one did. */
export function correctionHandlers({ database, enqueueDue, log }: ConsoleDependencies) {
  async function correct(
    { merchantId, session }: Pick<SignedInCall, 'merchantId' | 'session'>,
    { key: once, reason }: Correction,
    request: CorrectionRequest,
  ): Promise<RewardListRow> {
    const correcting = { merchantId, request, by: session.email, key: once, reason };
    const corrected = await correctReward(database, correcting).catch(refuseAct);
    const { rewardId, isNew } = corrected;
    if (isNew)
      log.info('reward corrected', { merchantId, rewardId, kind: request.kind, userId: session.userId });
    await enqueueDue(merchantId, corrected);
    const page = { after: null, limit: 1 };
    const { items } = await listRewardsPage(database, merchantId, { id: rewardId }, page);
    const [reward] = items;
    if (!reward) throw notFound();
    return reward;
  }

  return {
    'POST /orders/:order_id/rewards': {
      input: grantFields.append<GrantRewardRequest>({ key }),
      handle(call) {
        const { role, type, unit, amount, exceed_limits: exceedLimits, another } = call.input;
        const grant = { role, type, unit, amount, exceedLimits, another };
        return correct(call, call.input, { kind: 'grant', orderId: call.params.order_id, ...grant });
      },
    },

    'POST /rewards/:reward_id/adjust': {
      input: adjustFields.append<AdjustRewardRequest>({ key }),
      handle(call) {
        const { amount, exceed_limits: exceedLimits } = call.input;
        const rewardId = call.params.reward_id;
        return correct(call, call.input, { kind: 'adjust', rewardId, amount, exceedLimits });
      },
    },

    'POST /rewards/:reward_id/revoke': {
      input: revokeFields.append<Correction>({ key }),
      handle: (call) => correct(call, call.input, { kind: 'revoke', rewardId: call.params.reward_id }),
    },
  } satisfies Partial<Handlers>;
}
