/*
 * What docs/rewards.md says about an order without rewards, written again: it shares no code with the rules. Times are milliseconds, amounts
 * bigints.
 */

/** A product of an order. */
export interface ModelProduct {
  id: string;
  sku: string;
  paid: bigint;
  cancelled: boolean;
  labels: string[];
}

/** Lists of products. */
export interface ModelLists {
  productIds: string[];
  productIdPrefixes: string[];
  skus: string[];
  skuPrefixes: string[];
  labels: string[];
}

/** What a role gets. */
export type ModelBenefit = { fixed: bigint } | { hundredths: bigint; cap: bigint | null };

export interface ModelRule {
  id: string;
  trigger: 'first_order' | 'every_order';
  referee: ModelBenefit | null;
  referrer: ModelBenefit | null;
  minimum: bigint;
  windowDays: number | null;
  countsEarlierOrders: boolean;
  orderedFrom: number | null;
  orderedUntil: number | null;
  linkedFrom: number | null;
  linkedUntil: number | null;
  include: ModelLists | null;
  exclude: ModelLists | null;
  any: string[];
  none: string[];
}

/** An order with what decides about it. */
export interface ModelFacts {
  linkedAt: number | null;
  rejected: boolean;
  paid: boolean;
  cancelled: boolean;
  returned: boolean;
  abroad: boolean;
  orderedAt: number;
  markedFirst: boolean;
  hasEarlierOrder: boolean;
  paidAmount: bigint;
  shipping: bigint;
  labels: string[];
  products: ModelProduct[];
  /**
   * Another order with the reward of the referral: it comes before this one, after it, or no longer counts as the first. `merged`: it has
   * that of a referral which ended when members were merged; `both`: beside another one that no longer counts as the first.
   */
  holder: 'none' | 'earlier' | 'later' | 'leaving' | 'merged' | 'both';
  /** What is left of the budget; null without one. */
  left: bigint | null;
}

export interface ModelDecision {
  reason: string;
  rule: string | null;
  give: { role: string; amount: bigint }[];
}

const day = 86_400_000;

/** Decides about an order. */
export function decideByModel(rules: ModelRule[], facts: ModelFacts): ModelDecision {
  const nothing = (reason: string, rule: string | null = null) => ({ reason, rule, give: [] });
  const kept = facts.products.filter(({ cancelled }) => !cancelled);
  const paidNow = paidNowOf(facts);
  const everyProduct = facts.products.length > 0 && kept.length === 0;
  if (facts.linkedAt === null) return nothing('member_not_linked');
  if (facts.rejected) return nothing('referral_rejected');
  if (!facts.paid) return nothing('not_paid');
  if (facts.cancelled || everyProduct) return nothing('cancelled');
  if (facts.returned) return nothing('returned');
  if (facts.abroad) return nothing('unsupported_currency');
  let last = nothing('');
  for (const rule of rules) {
    const failed = failedCondition(rule, facts, paidNow);
    const gives = rule.referee !== null || rule.referrer !== null;
    if (failed === undefined && rule.trigger === 'first_order' && gives && facts.holder !== 'none') {
      const wouldGive = giftsOf(rule, facts, paidNow).give.length > 0;
      const isWaiting = facts.holder === 'leaving' || (facts.holder === 'later' && wouldGive);
      last = nothing('already_rewarded', rule.id);
      if (isWaiting) return last;
      continue;
    }
    if (failed !== undefined) {
      last = nothing(failed, rule.id);
      continue;
    }
    const { give, refused } = giftsOf(rule, facts, paidNow);
    if (give.length > 0) return { reason: 'rewarded', rule: rule.id, give };
    return nothing(refused ? 'budget_exhausted' : 'nothing_to_give', rule.id);
  }
  return last;
}

function paidNowOf({ products, paidAmount, shipping }: ModelFacts): bigint {
  if (products.every(({ cancelled }) => !cancelled)) return paidAmount;
  const rest = shipping + products.reduce((sum, one) => (one.cancelled ? sum : sum + one.paid), 0n);
  return rest < paidAmount ? rest : paidAmount;
}

function failedCondition(rule: ModelRule, facts: ModelFacts, paidNow: bigint): string | undefined {
  const linkedAt = facts.linkedAt ?? 0;
  const isOutside = (at: number, from: number | null, until: number | null) =>
    (from !== null && at < from) || (until !== null && at >= until);
  if (isOutside(facts.orderedAt, rule.orderedFrom, rule.orderedUntil)) return 'outside_campaign';
  if (isOutside(linkedAt, rule.linkedFrom, rule.linkedUntil)) return 'outside_campaign';
  if (rule.none.some((label) => facts.labels.includes(label))) return 'label_excluded';
  if (rule.any.length > 0 && !rule.any.some((label) => facts.labels.includes(label))) return 'label_excluded';
  const hasProducts = rule.include !== null || rule.exclude !== null;
  const eligible = facts.products.filter((one) => !one.cancelled && isEligible(one, rule));
  if (hasProducts && eligible.length === 0) return 'no_eligible_product';
  const base = baseOf(rule, facts, paidNow);
  if ((hasProducts ? base : paidNow) < rule.minimum || base < 1n) return 'below_minimum';
  if (!rule.countsEarlierOrders && facts.orderedAt < linkedAt - day) return 'before_link';
  if (rule.windowDays !== null && facts.orderedAt - linkedAt > rule.windowDays * day) return 'outside_window';
  if (rule.trigger === 'first_order' && !facts.markedFirst && facts.hasEarlierOrder) return 'not_first_order';
  return undefined;
}

function isEligible(product: ModelProduct, { include, exclude }: ModelRule): boolean {
  const matches = (lists: ModelLists) =>
    lists.productIds.includes(product.id) ||
    lists.productIdPrefixes.some((prefix) => product.id.slice(0, prefix.length) === prefix) ||
    (product.sku !== '' && lists.skus.includes(product.sku)) ||
    lists.skuPrefixes.some((prefix) => product.sku.slice(0, prefix.length) === prefix) ||
    lists.labels.some((label) => product.labels.includes(label));
  return (include === null || matches(include)) && !(exclude !== null && matches(exclude));
}

/** What percentages are taken of: what was paid without shipping, or the share of the eligible products in it. */
function baseOf(rule: ModelRule, { products, shipping }: ModelFacts, paidNow: bigint): bigint {
  const withoutShipping = paidNow > shipping ? paidNow - shipping : 0n;
  if (rule.include === null && rule.exclude === null) return withoutShipping;
  const kept = products.filter(({ cancelled }) => !cancelled);
  const all = kept.reduce((sum, { paid }) => sum + paid, 0n);
  const eligible = kept.reduce((sum, one) => (isEligible(one, rule) ? sum + one.paid : sum), 0n);
  if (all === 0n) return 0n;
  return withoutShipping >= all ? eligible : (eligible * withoutShipping) / all;
}

function giftsOf(rule: ModelRule, facts: ModelFacts, paidNow: bigint) {
  const base = baseOf(rule, facts, paidNow);
  let { left } = facts;
  let refused = false;
  const give: ModelDecision['give'] = [];
  for (const role of ['referee', 'referrer'] as const) {
    const benefit = rule[role];
    if (benefit === null) continue;
    const amount = amountOf(benefit, base);
    if (amount === 0n) continue;
    if (left !== null && amount > left) {
      refused = true;
      continue;
    }
    if (left !== null) left -= amount;
    give.push({ role, amount });
  }
  return { give, refused };
}

function amountOf(benefit: ModelBenefit, base: bigint): bigint {
  if ('fixed' in benefit) return benefit.fixed;
  const earned = (base * benefit.hundredths) / 10_000n;
  return benefit.cap !== null && benefit.cap < earned ? benefit.cap : earned;
}
