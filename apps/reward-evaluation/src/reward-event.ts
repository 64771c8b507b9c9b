import { newId } from '@rewardhook/contract';
import type { EventType, RewardEventData } from '@rewardhook/contract';
import type { EventRow } from '@rewardhook/database';
import type { OrderFacts, ReferralFacts } from '@rewardhook/rewards';

/** What an event about a reward tells of. */
export interface EventSubject {
  rewardId: string;
  role: 'referee' | 'referrer';
  memberId: string;
  benefit: { type: 'points' | 'coupon'; amount: number; unit: string };
  referral: ReferralFacts;
  order: OrderFacts;
  program: { id: string; version: number };
}

/** Makes the event with its exact body: this text is stored once, then signed and sent as it is. */
export function rewardEvent(
  type: Extract<EventType, 'reward.issue' | 'reward.revoke'>,
  subject: EventSubject,
  announce: boolean,
): EventRow {
  const { rewardId, role, memberId, benefit, referral, order, program } = subject;
  const id = newId('evt');
  const data: RewardEventData = {
    reward: { id: rewardId, type: benefit.type, amount: benefit.amount, unit: benefit.unit },
    member_id: memberId,
    role,
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
  return {
    id,
    type,
    rewardId,
    body: JSON.stringify({ id, type, created_at: new Date().toISOString(), data }),
    announce,
  };
}
