import type { Request, RequestHandler, Response } from 'express';
import {
  adjustFields,
  describeFieldError,
  fieldError,
  grantFields,
  revokeFields,
} from '@rewardhook/contract';
import { audited, correctReward, CorrectionRefused, listRewardsPage } from '@rewardhook/database';
import type { AuditAction, CorrectionRequest, Database } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { nameRewards } from '@rewardhook/rewards';
import { ApiError, invalidRequest } from '../http/api-error.ts';
import { auditedCall } from '../http/audited-call.ts';
import { readIdempotencyKey } from '../http/idempotency-key.ts';
import { readFields } from '../http/read-fields.ts';
import { withDatabaseTimeout } from '../http/with-database-timeout.ts';
import { ownerOf } from '../keys/authenticate.ts';
import { requireStorable } from '../resources/read-route.ts';

/** POST /api/open/orders/{order_id}/rewards/: a person gives a reward for an order. */
export const grantReward = (database: Database, enqueueDue: EnqueueDue): RequestHandler =>
  correction(database, enqueueDue, 'reward.granted', ({ params, body }) => {
    const orderId = String(params['order_id']);
    const { exceed_limits: exceed, reason: why, ...grant } = readFields(grantFields, body);
    return { request: { kind: 'grant', orderId, ...grant, exceedLimits: exceed }, reason: why };
  });

/** POST /api/open/rewards/{reward_id}/adjust/: a person gives a reward another amount, which it keeps. */
export const adjustReward = (database: Database, enqueueDue: EnqueueDue): RequestHandler =>
  correction(database, enqueueDue, 'reward.adjusted', ({ params, body }) => {
    const rewardId = String(params['reward_id']);
    const { exceed_limits: exceed, reason: why, ...fields } = readFields(adjustFields, body);
    return { request: { kind: 'adjust', rewardId, ...fields, exceedLimits: exceed }, reason: why };
  });

/** POST /api/open/rewards/{reward_id}/revoke/: a person takes a reward back; no rule gives it again. */
export const revokeReward = (database: Database, enqueueDue: EnqueueDue): RequestHandler =>
  correction(database, enqueueDue, 'reward.revoked', ({ params, body }) => {
    const rewardId = String(params['reward_id']);
    return { request: { kind: 'revoke', rewardId }, reason: readFields(revokeFields, body).reason };
  });

function correction(
  database: Database,
  enqueueDue: EnqueueDue,
  action: AuditAction,
  read: (request: Request) => { request: CorrectionRequest; reason: string },
): RequestHandler {
  return async (request, response) => {
    const { merchantId } = ownerOf(response);
    const key = readIdempotencyKey(request);
    const { request: wanted, reason: why } = read(request);
    requireStorable(wanted.kind === 'grant' ? wanted.orderId : wanted.rewardId);
    const call = auditedCall(request, response, action);
    const { rewardId, isNew, ...due } = await audited(database, call, () =>
      withDatabaseTimeout(correctReward(database, merchantId, wanted, { key, reason: why }).catch(refuse)),
    );
    await withDatabaseTimeout(enqueueDue(merchantId, due));
    await sendReward(
      database,
      merchantId,
      rewardId,
      response.status(isNew && wanted.kind === 'grant' ? 201 : 200),
    );
  };
}

async function sendReward(
  database: Database,
  merchantId: string,
  id: string,
  response: Response,
): Promise<void> {
  const page = listRewardsPage(database, merchantId, { id }, { after: null, limit: 1 });
  const [reward] = (await withDatabaseTimeout(page)).items;
  response.json({ data: reward });
}

function refuse(error: unknown): never {
  if (!(error instanceof CorrectionRefused)) throw error;
  const { refusal } = error;
  switch (refusal.code) {
    case 'not_found':
      throw new ApiError('not_found', 'There is nothing of your shop with this id.');
    case 'key_reused':
      throw new ApiError(
        'idempotency_key_reused',
        'This Idempotency-Key was used for another request. Use a new one.',
      );
    case 'above_manual_limit':
    case 'above_own_amount':
      throw invalidRequest({
        amount: describeFieldError(fieldError(refusal.code, { limit: refusal.limit })),
      });
    case 'amount_unchanged':
      throw invalidRequest({ amount: 'is the amount that the reward has' });
    case 'member_not_linked':
      throw new ApiError('member_not_linked', 'The member of the order has no referrer. Link them first.');
    case 'member_erased':
      throw new ApiError('member_not_linked', 'The member who would get the reward was erased.');
    case 'reward_exists':
      throw new ApiError(
        'reward_exists',
        `The order has live rewards of this role: ${nameRewards(refusal.rewards)}. Send "another": true to give one all the same.`,
      );
    case 'reward_ended':
      throw new ApiError('reward_ended', 'The reward was revoked or cancelled before.');
    case 'limit_exceeded':
      throw new ApiError(
        'limit_exceeded',
        `The reward exceeds ${limitName(refusal.check.check)} of the program, of which ${String(refusal.check.threshold)} is the limit. Send "exceed_limits": true to give it all the same.`,
      );
    case 'revocation_not_notified':
      throw new ApiError(
        'revocation_not_notified',
        `Webhook ${refusal.webhookId} was sent the reward.issue of ${refusal.rewardId} and is not sent its reward.revoke: it would grant twice. Register it for reward.revoke, or delete it.`,
      );
  }
}

const limitName = (check: string): string =>
  check === 'budget' ? 'what is left of the budget' : 'the cap of the referrer';
