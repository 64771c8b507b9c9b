import { deriveId, eventMode } from '@rewardhook/contract';
import type { EventType, RewardEventData, RewardRevokeEventData } from '@rewardhook/contract';
import { validDaysOf } from '@rewardhook/rewards';
import type { EarlierReward, OrderState } from '@rewardhook/rewards';
import { eventTime } from '../client/timestamps.ts';
import type { EventRow } from './write-rows.ts';

/** Makes the event of a reward that is confirmed. */
export function issueEvent(
  merchantId: string,
  reward: EarlierReward,
  order: OrderState,
  deliver: boolean,
  at: string,
): EventRow {
  return rewardEvent('reward.issue', merchantId, reward, order, rewardEventData(reward, order), deliver, at);
}

/** Makes the event of a confirmed reward that is withdrawn: `reason` says why. */
export function revokeEvent(
  merchantId: string,
  reward: EarlierReward,
  order: OrderState,
  reason: RewardRevokeEventData['reason'],
  at: string,
): EventRow {
  const data: RewardRevokeEventData = { ...rewardEventData(reward, order), reason };
  return rewardEvent('reward.revoke', merchantId, reward, order, data, true, at);
}

/**
 * Makes an event with its exact body. The body is stored once, and signed and sent without a change. A reward has one
 * event of each type, so its id follows from them: it is the same when the event is made again after a restore.
 */
function rewardEvent(
  type: Extract<EventType, 'reward.issue' | 'reward.revoke'>,
  merchantId: string,
  reward: EarlierReward,
  order: OrderState,
  data: RewardEventData,
  deliver: boolean,
  at: string,
): EventRow {
  const id = deriveId('evt', reward.id, type);
  const body = JSON.stringify({ id, type, created_at: eventTime(at), ...eventMode(merchantId), data });
  return { id, type, rewardId: reward.id, orderId: order.orderId, body, deliver, at };
}

/** A reward that was issued before its member was merged into another one keeps the id that the merchant was notified with. */
function rewardEventData(reward: EarlierReward, order: OrderState): RewardEventData {
  const { referral, program, role } = reward;
  const memberId = reward.issuedMemberId ?? reward.memberId;
  // The referee of a referral that ended in the merge is an alias.
  const validDays = validDaysOf(reward);
  const refereeMemberId = referral.ended ? order.memberId : referral.refereeMemberId;
  return {
    reward: {
      ...{ id: reward.id, type: reward.type, amount: reward.amount, unit: reward.unit },
      ...(validDays !== null &&
        reward.expiresAt !== null && { valid_days: validDays, expires_at: reward.expiresAt }),
    },
    member_id: memberId,
    role,
    referral: {
      id: referral.id,
      code: referral.code,
      referrer_member_id: role === 'referrer' ? memberId : referral.referrerMemberId,
      referee_member_id: role === 'referee' ? memberId : refereeMemberId,
      linked_at: referral.linkedAt,
    },
    order: {
      order_id: order.orderId,
      order_date: order.orderDate,
      paid_at: order.paidAt,
      order_amount: order.orderAmount,
      paid_amount: order.paidAmount,
      shipping_amount: order.shippingAmount,
    },
    program: { id: program.id, version: program.version, rule: reward.rule },
  };
}
