import type { OrderState } from './evaluation-input.ts';
import type { ReferralState } from './referral.ts';

/** What determines which orders of a member are evaluated together. */
export interface RelatedOrdersInput {
  /** The orders to evaluate. */
  orders: OrderState[];
  /** The referrals whose referees' orders they are, or were before they moved to another member; by referee. */
  referrals: Map<string, ReferralState>;
  /** The ids of a member's paid orders with the earliest date, in the order of `compareIds`; several when they have the same date. */
  earliestPaidOrders(memberId: string): string[];
  /** The ids of orders with the live rewards of a referral under the first-order rule. */
  rewardedOrders(referralId: string): string[];
}

/** Further orders of the same members to evaluate in the same batch. */
export interface RelatedOrders {
  orderIds: string[];
  /** Whether one of them, read again under a lock, is still related: it may have moved to another member. */
  includes(order: OrderState): boolean;
}

/**
 * Finds the orders whose decisions these orders can change under the first-order rule: the earliest paid orders, which can be the first
 * ones now, and the order that has the reward, which an earlier one takes from it. None while the first of the earliest has it: no order
 * is before that one. After a withdrawal, the orders that can be the first are evaluated again in any case.
 */
export function findRelatedOrders({
  orders,
  referrals,
  earliestPaidOrders,
  rewardedOrders,
}: RelatedOrdersInput): RelatedOrders {
  /** The member of each related order, by its id. */
  const related = new Map<string, string>();
  for (const [memberId, referral] of referrals) {
    const earliest = earliestPaidOrders(memberId);
    const rewarded = rewardedOrders(referral.id);
    if (rewarded.length > 0 && rewarded.every((orderId) => orderId === earliest[0])) continue;
    for (const orderId of [...rewarded, ...earliest]) related.set(orderId, memberId);
  }
  for (const { orderId } of orders) related.delete(orderId);
  return {
    orderIds: [...related.keys()],
    // An order that has just moved to another member is evaluated with the change that moved it.
    includes: ({ orderId, memberId }) => related.get(orderId) === memberId,
  };
}
