import { countsAsPaid } from './evaluation-input.ts';
import type { OrderState } from './evaluation-input.ts';
import type { ReferralState } from './referral.ts';
import { isBefore } from './timestamps.ts';

/** What determines which orders of a member are evaluated together. */
export interface RelatedOrdersInput {
  /** The orders to evaluate, oldest first. */
  orders: OrderState[];
  /** Referrals by referee. */
  referrals: Map<string, ReferralState>;
  /** The ids of a member's paid orders with the earliest date; several when they have the same date. */
  earliestPaidOrders(memberId: string): string[];
  /** The ids of orders with the live rewards of a referral under the first-order rule. */
  rewardedOrders(referralId: string): string[];
}

/** Further orders of the same members to evaluate in the same batch. */
export interface RelatedOrders {
  orderIds: string[];
  /** Whether one of them, read again under a lock, is still related. */
  includes(order: OrderState): boolean;
}

/**
 * Finds the orders whose decisions these orders can change under the first-order rule: the order that has the reward,
 * when a paid order with an earlier date arrives; and the earliest paid orders, when no order has the reward. After
 * a withdrawal, the orders that can be the first are evaluated again in any case.
 */
export function findRelatedOrders({
  orders,
  referrals,
  earliestPaidOrders,
  rewardedOrders,
}: RelatedOrdersInput): RelatedOrders {
  const firstPaid = firstPaidDates(orders);
  /** By id of a related order: the date that must be before its own; null when its date does not matter. */
  const related = new Map<string, string | null>();
  for (const [memberId, paidDate] of firstPaid) {
    const referral = referrals.get(memberId);
    if (!referral) continue;
    const earliest = earliestPaidOrders(memberId);
    const rewarded = rewardedOrders(referral.id);
    if (rewarded.length === 0) for (const orderId of earliest) related.set(orderId, null);
    else if (paidDate)
      for (const orderId of rewarded)
        // No order can be before the earliest.
        if (!earliest.includes(orderId)) related.set(orderId, paidDate);
  }
  for (const { orderId } of orders) related.delete(orderId);
  return {
    orderIds: [...related.keys()],
    includes({ orderId, memberId, orderDate }) {
      const earlierDate = related.get(orderId);
      // An order that has just moved to another member is evaluated with the change that moved it.
      return firstPaid.has(memberId) && (!earlierDate || isBefore(earlierDate, orderDate));
    },
  };
}

/** The date of each member's earliest paid order among these; null when none of them is paid. */
function firstPaidDates(orders: OrderState[]): Map<string, string | null> {
  const dates = new Map<string, string | null>();
  for (const order of orders) {
    // The oldest order comes first.
    if (!dates.get(order.memberId)) dates.set(order.memberId, countsAsPaid(order) ? order.orderDate : null);
  }
  return dates;
}
