import { countsAsPaid, isLive, isManual, paidNow } from './evaluation-input.ts';
import type { EarlierReward, OrderState } from './evaluation-input.ts';
import { isPlacedBefore } from './referral.ts';
import type { ReferralState } from './referral.ts';

/**
 * The revenue that a referral brought with an order of its referee, in won: what is paid now, without shipping. Null when the figures do
 * not count the order: it is not paid or not in won, the referral is rejected or its referee was not new, or the order was placed before
 * the link and has earned nothing.
 */
export function referredRevenue(
  order: OrderState,
  referral: ReferralState | null,
  isEarning: boolean,
): number | null {
  const isCounted = referral !== null && referral.review !== 'rejected' && referral.olderOrder === null;
  if (!isCounted || !countsAsPaid(order) || order.currency !== null) return null;
  if (isPlacedBefore(order, referral) && !isEarning) return null;
  return Math.max(0, paidNow(order) - order.shippingAmount);
}

/** Whether an order has a live reward among these that a rule gave it. One that a person gave is not earned. */
export function hasEarned({ orderId }: Pick<OrderState, 'orderId'>, rewards: EarlierReward[]): boolean {
  return rewards.some((reward) => reward.orderId === orderId && isLive(reward) && !isManual(reward));
}
