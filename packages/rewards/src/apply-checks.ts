import type { Check } from './checks.ts';
import { cancellationOf, paidNow } from './evaluation-input.ts';
import type { EarlierReward, OrderState } from './evaluation-input.ts';
import type { LimitUsage } from './program-usage.ts';
import { budgetOf } from './program.ts';
import type { Rule, Terms } from './program.ts';
import { eligibleProducts } from './eligible-products.ts';
import { isPlacedBefore } from './referral.ts';
import type { ReferralState } from './referral.ts';
import { isBefore } from './timestamps.ts';

/** What must remain of the amount paid without shipping, in won, in every rule: a free order earns nothing. */
const minimumWithoutShipping = 1;

const dayMs = 86_400_000;

/** Makes the checks that all rules share: they must hold as long as a reward is live. */
export function sharedChecks(order: OrderState, referral: ReferralState | null): Check[] {
  const cancelled = cancellationOf(order);
  return [
    { check: 'linked', value: referral !== null, threshold: null, passed: referral !== null },
    ...reviewCheck(referral),
    ...newMemberCheck(referral),
    { check: 'paid', value: order.paidAt, threshold: null, passed: order.paidAt !== null },
    ...paymentTimeCheck(order),
    { check: 'not_cancelled', value: cancelled, threshold: null, passed: cancelled === null },
    { check: 'not_returned', value: order.returnedAt, threshold: null, passed: order.returnedAt === null },
    ...currencyCheck(order),
  ];
}

/**
 * Makes the checks of the conditions of a rule that must hold as long as its reward is live. What the rule does not have is left out.
 * An order is the first one when the merchant sends `first_order`, or when the member has no earlier paid order.
 */
export function ruleChecks(
  order: OrderState,
  referral: ReferralState | null,
  earlierPaidOrder: string | null,
  rule: Rule,
): Check[] {
  const results: Check[] = [
    ...periodCheck('ordered_within', order.orderDate, rule.orderedFrom, rule.orderedUntil),
    ...(referral ? periodCheck('linked_within', referral.linkedAt, rule.linkedFrom, rule.linkedUntil) : []),
    ...orderLabelsCheck(order, rule),
    ...amountChecks(order, rule),
  ];
  if (referral && (rule.earlierOrders === 'ignore' || referral.fromOrderId !== null))
    results.push(...placedAfterLinkCheck(order, referral));
  if (rule.windowDays !== null && referral) results.push(windowCheck(order, referral, rule.windowDays));
  if (rule.trigger === 'first_order')
    results.push({
      check: 'first_order',
      value: order.firstOrder,
      threshold: earlierPaidOrder,
      passed: order.firstOrder || earlierPaidOrder === null,
    });
  return results;
}

/** Compares a time with a period, whose end is not part of it. The threshold is the end that was missed. Not made without a period. */
function periodCheck(
  check: 'ordered_within' | 'linked_within',
  value: string,
  from: string | null,
  until: string | null,
): Check[] {
  if (from === null && until === null) return [];
  const isEarly = from !== null && isBefore(value, from);
  const isLate = until !== null && !isBefore(value, until);
  return [{ check, value, threshold: isEarly ? from : (until ?? from), passed: !isEarly && !isLate }];
}

/**
 * Its value is the label that decides: the first of `none` that the order has, else the first of `any` that it has, else null. The
 * threshold is the first of `any`. Not made without `orderLabels`.
 */
function orderLabelsCheck({ labels }: OrderState, { orderLabels }: Rule): Check[] {
  if (orderLabels === null) return [];
  const { any, none } = orderLabels;
  const excluded = none.find((label) => labels.includes(label));
  const required = any.find((label) => labels.includes(label));
  const passed = excluded === undefined && (any.length === 0 || required !== undefined);
  return [{ check: 'order_labels', value: excluded ?? required ?? null, threshold: any[0] ?? null, passed }];
}

/** In a rule with `products` the amounts are those of the eligible ones, and there must be one. */
function amountChecks(order: OrderState, { products, minimumPaidAmount }: Rule): Check[] {
  const eligible = products && eligibleProducts(order, products);
  const paid = eligible ? eligible.amount : paidNow(order);
  const withoutShipping = eligible ? eligible.amount : paid - order.shippingAmount;
  return [
    ...(eligible
      ? [
          {
            check: 'eligible_products' as const,
            value: eligible.count,
            threshold: 1,
            passed: eligible.count > 0,
          },
        ]
      : []),
    {
      check: 'minimum_paid_amount',
      value: paid,
      threshold: minimumPaidAmount,
      passed: paid >= minimumPaidAmount,
    },
    {
      check: 'paid_without_shipping',
      value: withoutShipping,
      threshold: minimumWithoutShipping,
      passed: withoutShipping >= minimumWithoutShipping,
    },
  ];
}

/** Fails when the referral was rejected. Not made for a referral that needs no review. */
function reviewCheck(referral: ReferralState | null): Check[] {
  if (!referral || referral.review === 'none') return [];
  const { review } = referral;
  return [{ check: 'review', value: review, threshold: null, passed: review !== 'rejected' }];
}

/** Fails when the referee had a paid order before a boot linked them. Not made for a new member. */
function newMemberCheck(referral: ReferralState | null): Check[] {
  if (!referral || referral.olderOrder === null) return [];
  const { olderOrder, linkedAt } = referral;
  return [{ check: 'new_member', value: olderOrder, threshold: linkedAt, passed: false }];
}

/** Fails until the order counts as paid. Made only for an order whose `paid_at` was sent ahead of time. */
function paymentTimeCheck({ paidAt, countsAsPaidAt }: OrderState): Check[] {
  if (countsAsPaidAt === null) return [];
  return [{ check: 'payment_time', value: paidAt, threshold: countsAsPaidAt, passed: false }];
}

/** Fails when the amounts are not in won. Not made for an order in won. */
function currencyCheck({ currency }: OrderState): Check[] {
  return currency === null ? [] : [{ check: 'currency', value: currency, threshold: 'KRW', passed: false }];
}

/** Fails when the order was placed before the member was linked. Not made for an order from after it. */
function placedAfterLinkCheck(order: OrderState, referral: ReferralState): Check[] {
  if (!isPlacedBefore(order, referral)) return [];
  const [value, threshold] = [order.orderDate, referral.linkedAt];
  return [{ check: 'placed_after_link', value, threshold, passed: false }];
}

/** Compares the days from the link to the order. They are negative, and pass, for an order from before its link. */
function windowCheck(order: OrderState, referral: ReferralState, windowDays: number): Check {
  const days = (Date.parse(order.orderDate) - Date.parse(referral.linkedAt)) / dayMs;
  return {
    check: 'window',
    value: Math.round(days * 100) / 100,
    threshold: windowDays,
    passed: days <= windowDays,
  };
}

/** Fails when an older order that counts as the first would have the reward of this one. Made only then. */
export function earlierFirstOrderCheck(orderId: string): Check {
  return { check: 'earlier_first_order', value: orderId, threshold: null, passed: false };
}

/** Fails when another order of the referee has the one reward of the first-order rules. */
export function notYetRewardedCheck(otherOrder: string | null): Check {
  return { check: 'not_yet_rewarded', value: otherOrder, threshold: null, passed: otherOrder === null };
}

/** Fail when the referrer has as many live rewards as a cap allows. One check for each cap of the program. */
export function capChecks(usage: LimitUsage, { limits }: Terms): Check[] {
  const { total, month } = limits.referrerCap;
  const results: Check[] = [];
  const add = (check: 'referrer_total_cap' | 'referrer_month_cap', value: number, cap: number | null) => {
    if (cap !== null) results.push({ check, value, threshold: cap, passed: value < cap });
  };
  add('referrer_total_cap', usage.referrerTotal, total);
  add('referrer_month_cap', usage.referrerMonth, month);
  return results;
}

/** One check for each of these rewards that a webhook holds: it was notified of it and is not notified of its revocation. */
export function revocationNotifiedChecks(rewards: EarlierReward[]): Check[] {
  return rewards.flatMap(({ id, notifiedEndpoints: [webhook] }) =>
    webhook === undefined
      ? []
      : [{ check: 'revocation_notified', value: webhook, threshold: id, passed: false }],
  );
}

/** Fails when a person revoked the reward of this order or referral. */
export function notRevokedByPersonCheck(rewardId: string): Check {
  return { check: 'not_revoked_by_person', value: rewardId, threshold: null, passed: false };
}

/** Fails when a referral that ended in a merge has the reward of this order or referral. */
export function notRewardedBeforeMergeCheck({ id, orderId }: EarlierReward): Check {
  return { check: 'not_rewarded_before_merge', value: orderId, threshold: id, passed: false };
}

/** Says that the rewards of a rule stand although another one applies now. */
export function ruleKeptCheck(applies: string, kept: string): Check {
  return { check: 'rule_kept', value: applies, threshold: kept, passed: false };
}

/** Says that a confirmed amount stands that would be another one now. */
export function amountKeptCheck(due: number, kept: number): Check {
  return { check: 'amount_kept', value: due, threshold: kept, passed: false };
}

/** Fails when the amount exceeds the rest of the budget. Not made when the program has no budget. */
export function budgetChecks(spent: number, amount: number, terms: Terms): Check[] {
  const budget = budgetOf(terms);
  if (budget === null) return [];
  const left = budget - spent;
  return [{ check: 'budget', value: amount, threshold: left, passed: amount <= left }];
}
