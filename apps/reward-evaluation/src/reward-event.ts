import { deriveId } from '@rewardhook/contract';
import type { EventType, RewardEventData } from '@rewardhook/contract';
import { eventTime } from '@rewardhook/database';
import type { EventRow } from '@rewardhook/database';
import type { EarlierReward, OrderState } from '@rewardhook/rewards';

/**
 * Makes an event with its exact body. The body is stored once, and signed and sent without a change. A reward has one
 * event of each type, so its id follows from them: it is the same when the event is made again after a restore.
 */
export function rewardEvent(
  type: Extract<EventType, 'reward.issue' | 'reward.revoke'>,
  reward: EarlierReward,
  order: OrderState,
  deliver: boolean,
  at: string,
): EventRow {
  const { referral, program } = reward;
  const id = deriveId('evt', reward.id, type);
  const data: RewardEventData = {
    reward: { id: reward.id, type: reward.type, amount: reward.amount, unit: reward.unit },
    member_id: reward.memberId,
    role: reward.role,
    referral: {
      id: referral.id,
      code: referral.code,
      referrer_member_id: referral.referrerMemberId,
      referee_member_id: referral.refereeMemberId,
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
    program: { id: program.id, version: program.version },
  };
  const body = JSON.stringify({ id, type, created_at: eventTime(at), data });
  return { id, type, rewardId: reward.id, orderId: order.orderId, body, deliver, at };
}
