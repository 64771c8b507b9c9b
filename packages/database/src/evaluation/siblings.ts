import { countsAsPaid } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { readEarlierRewards } from './earlier-rewards.ts';
import { isBefore } from '../client/timestamps.ts';
import { referralsOf } from './evaluation-input.ts';
import type { Facts, Programs } from './evaluation-input.ts';
import { byAge, lockOrders } from './order-facts.ts';
import type { StoredOrder } from './order-facts.ts';

/**
 * Under the first-order rule an order can decide over others of its member, so those are judged along: the one that
 * has the reward, when a paid order with an earlier date came to light; and the earliest paid ones, when nobody has the
 * reward. When a reward falls away, all orders of its member are looked at again anyway.
 */
export async function addSiblings(
  sql: Queryable,
  merchantId: string,
  facts: Facts,
  programs: Programs,
): Promise<Facts> {
  const firstPaid = firstPaidByMember(facts.orders);
  const wanted = findSiblings(facts, firstPaid);
  if (wanted.size === 0) return facts;
  const read = await lockOrders(sql, merchantId, [...wanted.keys()]);
  const siblings = read.filter(({ order }) => {
    const paidAt = wanted.get(order.orderId);
    // One that has just moved to another member, whose referral is not locked, is judged by what moved it.
    return firstPaid.has(order.memberId) && (!paidAt || isBefore(paidAt, order.orderDate));
  });
  const orderIds = siblings.map(({ order }) => order.orderId);
  const referrals = referralsOf(siblings, facts.referrals);
  const rewards = await readEarlierRewards(sql, merchantId, orderIds, referrals, programs, facts.rewards);
  return { ...facts, orders: [...facts.orders, ...siblings].sort(byAge), rewards };
}

/** The earliest date of an order that is paid, by member; null where none of these orders is. */
function firstPaidByMember(orders: StoredOrder[]): Map<string, string | null> {
  const firstPaid = new Map<string, string | null>();
  for (const { order } of orders) {
    const known = firstPaid.get(order.memberId);
    // The oldest comes first.
    if (!known) firstPaid.set(order.memberId, countsAsPaid(order) ? order.orderDate : null);
  }
  return firstPaid;
}

/** Ids of siblings, with the date that has to be earlier than theirs; null where they are judged whatever theirs is. */
function findSiblings(facts: Facts, firstPaid: Map<string, string | null>): Map<string, string | null> {
  const siblings = new Map<string, string | null>();
  for (const [memberId, paidAt] of firstPaid) {
    const referral = facts.referrals.get(memberId);
    if (!referral) continue;
    const earliest = facts.earliest.get(memberId)?.orderIds ?? [];
    const rewarded = facts.rewards.rewardedOrders(referral.id);
    if (rewarded.length === 0) for (const orderId of earliest) siblings.set(orderId, null);
    else if (paidAt)
      for (const orderId of rewarded)
        // Nothing is earlier than the earliest.
        if (!earliest.includes(orderId)) siblings.set(orderId, paidAt);
  }
  for (const { order } of facts.orders) siblings.delete(order.orderId);
  return siblings;
}
