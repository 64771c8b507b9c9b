import type Joi from 'joi';
import { adjustFields, grantFields, revokeFields, textField } from '@rewardhook/contract';
import { correctReward, listRewardsPage } from '@rewardhook/database';
import type { AuditAction, CorrectionRequest } from '@rewardhook/database';
import type {
  AdjustRewardRequest,
  GrantRewardRequest,
  RevokeRewardRequest,
  RewardView,
} from '../api-types.ts';
import type { ConsoleDependencies } from '../dependencies.ts';
import { refuseAct } from '../http/act-refusals.ts';
import { notFound } from '../http/console-error.ts';
import { route } from '../http/route.ts';

const key = textField(255).required();

/** POST /orders/:order_id/rewards: a person gives a reward for an order. */
export const grantReward = (dependencies: ConsoleDependencies) =>
  correction<GrantRewardRequest>(dependencies, {
    path: '/orders/:order_id/rewards',
    audit: 'reward.granted',
    body: grantFields.append<GrantRewardRequest>({ key }),
    requestOf: (orderId, { role, type, unit, amount, exceed_limits: exceedLimits, another }) => ({
      kind: 'grant',
      orderId,
      role,
      type,
      unit,
      amount,
      exceedLimits,
      another,
    }),
  });

/** POST /rewards/:reward_id/adjust: a person gives a reward another amount. */
export const adjustReward = (dependencies: ConsoleDependencies) =>
  correction<AdjustRewardRequest>(dependencies, {
    path: '/rewards/:reward_id/adjust',
    audit: 'reward.adjusted',
    body: adjustFields.append<AdjustRewardRequest>({ key }),
    requestOf: (rewardId, { amount, exceed_limits: exceedLimits }) => ({
      kind: 'adjust',
      rewardId,
      amount,
      exceedLimits,
    }),
  });

/** POST /rewards/:reward_id/revoke: a person takes a reward back. */
export const revokeReward = (dependencies: ConsoleDependencies) =>
  correction<RevokeRewardRequest>(dependencies, {
    path: '/rewards/:reward_id/revoke',
    audit: 'reward.revoked',
    body: revokeFields.append<RevokeRewardRequest>({ key }),
    requestOf: (rewardId) => ({ kind: 'revoke', rewardId }),
  });

/** A route that corrects the rewards of an order. `key` makes a repeated call return what the first one did. */
function correction<B extends { key: string; reason: string }>(
  { database, enqueueDue, log }: ConsoleDependencies,
  {
    path,
    audit,
    body,
    requestOf,
  }: {
    path: string;
    audit: AuditAction;
    body: Joi.ObjectSchema<B>;
    requestOf: (id: string, body: B) => CorrectionRequest;
  },
) {
  return route<B>(
    'developer',
    'POST',
    path,
    async ({ merchantId, params, body: given, session }): Promise<RewardView> => {
      const request = requestOf(String(params['order_id'] ?? params['reward_id']), given);
      const { key: once, reason } = given;
      const correcting = { merchantId, request, by: session.email, key: once, reason };
      const corrected = await correctReward(database, correcting).catch(refuseAct);
      const { rewardId, isNew } = corrected;
      if (isNew)
        log.info('reward corrected', { merchantId, rewardId, kind: request.kind, userId: session.userId });
      await enqueueDue(merchantId, corrected);
      const { items } = await listRewardsPage(
        database,
        merchantId,
        { id: rewardId },
        { after: null, limit: 1 },
      );
      const [reward] = items;
      if (!reward) throw notFound();
      return reward;
    },
    { audit, body },
  );
}
