import type { Request, RequestHandler, Response } from 'express';
import { adjustFields, grantFields, revokeFields } from '@rewardhook/contract';
import { audited, correctReward, listRewardsPage } from '@rewardhook/database';
import type { AuditAction, CorrectionRequest, Database } from '@rewardhook/database';
import type { EnqueueDue } from '@rewardhook/pipeline';
import { refuseAct } from '../http/act-refusals.ts';
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
    const { request: wanted, reason } = read(request);
    requireStorable(wanted.kind === 'grant' ? wanted.orderId : wanted.rewardId);
    const call = auditedCall(request, response, action);
    const act = { merchantId, request: wanted, by: 'api', key, reason };
    const corrected = await audited(database, call, () =>
      withDatabaseTimeout(correctReward(database, act).catch(refuseAct)),
    );
    await withDatabaseTimeout(enqueueDue(merchantId, corrected));
    const status = corrected.isNew && wanted.kind === 'grant' ? 201 : 200;
    await sendReward(database, merchantId, corrected.rewardId, response.status(status));
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
