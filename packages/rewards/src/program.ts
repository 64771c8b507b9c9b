import type { Role } from './referral.ts';

/** What one role of a referral gets. */
export interface Benefit {
  type: 'points' | 'coupon';
  /** The merchant's name for what is counted: `points`, or a coupon's name. */
  unit: string;
  /**
   * Fixed: `value` units. Percent: `rate` percent (at most two decimals) of the amount paid without shipping, rounded
   * down; in a rule with `products`, of that of the eligible products. At most `cap` units, unless it is null.
   */
  amount: { kind: 'fixed'; value: number } | { kind: 'percent'; rate: number; cap: number | null };
  /** Days from the confirmation until the merchant lets it expire; null for never. */
  validDays: number | null;
}

/** Products of orders. A product is one of them if one of the values matches. */
export interface ProductLists {
  productIds: string[];
  productIdPrefixes: string[];
  skus: string[];
  skuPrefixes: string[];
  /** Folded, as those of products. */
  labels: string[];
}

/** Which products are eligible: those of `include`, or all, without those of `exclude`. */
export interface ProductFilter {
  include: ProductLists | null;
  exclude: ProductLists | null;
}

/** A rule of a program: which orders earn, and what. */
export interface Rule {
  /** Unique in its version. The same id in a later version is the same rule. */
  id: string;
  name: string;
  /** `first_order` rewards a referral once, `every_order` rewards each order. */
  trigger: 'first_order' | 'every_order';
  /** The reward of the member who placed the order; null for none. */
  referee: Benefit | null;
  /** The reward of the referrer; null for none. */
  referrer: Benefit | null;
  /** Minimum amount paid for the order, shipping included, in won. */
  minimumPaidAmount: number;
  /** Maximum days from the link to the order; null for no limit. */
  windowDays: number | null;
  /** Days until a reward is confirmed; 0 confirms it immediately. */
  holdDays: number;
  /** Whether an order that was placed before its member was linked can earn a reward (`count`), or never does (`ignore`). */
  earlierOrders: 'count' | 'ignore';
  /** Orders and links of a period: ISO 8601 in UTC with microseconds, the end not included; null for no limit. */
  orderedFrom: string | null;
  orderedUntil: string | null;
  linkedFrom: string | null;
  linkedUntil: string | null;
  /** Null: amounts are those of the order. */
  products: ProductFilter | null;
  /** An order needs one of the labels `any`, if there are some, and none of `none`. Folded. */
  orderLabels: { any: string[]; none: string[] } | null;
  /** Budgets of rules are not supported yet. */
  budget: null;
}

/** The content of a version of a program. A published version never changes. */
export interface Terms {
  rules: Rule[];
  limits: {
    /** Maximum live rewards of one referrer, in total and for payments in one month; null for no limit. */
    referrerCap: { total: number | null; month: number | null };
    /** `total`: maximum sum of all live rewards of the program, in units of amount, both roles together. Null for no limit. */
    budget: { unit: null; total: number; month: null } | null;
  };
  /** Whether a confirmed amount of points follows its order (`adjust`), or stands as long as the order earns a reward (`keep`). */
  refunds: 'adjust' | 'keep';
}

/** A published version of a program. */
export interface Program {
  id: string;
  version: number;
  terms: Terms;
}

const threeThousandPoints: Benefit = {
  type: 'points',
  unit: 'points',
  amount: { kind: 'fixed', value: 3_000 },
  validDays: null,
};

/** The terms of a new merchant's program: 3,000 points for each side for the referee's first paid order. */
export const defaultTerms: Terms = {
  rules: [
    {
      id: 'default',
      name: 'default',
      trigger: 'first_order',
      referee: threeThousandPoints,
      referrer: threeThousandPoints,
      minimumPaidAmount: 1,
      windowDays: null,
      holdDays: 0,
      earlierOrders: 'ignore',
      orderedFrom: null,
      orderedUntil: null,
      linkedFrom: null,
      linkedUntil: null,
      products: null,
      orderLabels: null,
      budget: null,
    },
  ],
  limits: { referrerCap: { total: null, month: null }, budget: null },
  refunds: 'adjust',
};

/** Terms as they are stored: as `parseTerms` returns them. Only {@link readTerms} reads them. */
export type StoredTerms = Terms;

/** Reads stored terms. */
export function readTerms(stored: unknown): Terms {
  return stored as StoredTerms;
}

/** Whether some rule rewards a referral once, for the first order: then orders of a member depend on each other. */
export function hasFirstOrderRule({ rules }: Terms): boolean {
  return rules.some(({ trigger }) => trigger === 'first_order');
}

/** Whether some rule rewards each order. */
export function hasEveryOrderRule({ rules }: Terms): boolean {
  return rules.some(({ trigger }) => trigger === 'every_order');
}

/** The filters of the rules that read the products of orders. */
export function productFiltersOf({ rules }: Terms): ProductFilter[] {
  return rules.flatMap(({ products }) => products ?? []);
}

/** Days from the confirmation of a reward until it expires; null for never. */
export function validDaysOf({
  program,
  rule,
  role,
}: {
  program: Program;
  rule: string | null;
  role: Role;
}): number | null {
  return rule === null ? null : (ruleOf(program, rule)[role]?.validDays ?? null);
}

/** A rule of a program by its id. @throws when the version has no such rule */
export function ruleOf({ terms, version }: Program, id: string | null): Rule {
  const rule = terms.rules.find((one) => one.id === id);
  if (!rule) throw new Error(`version ${version} of the program has no rule ${id}`);
  return rule;
}

/** The maximum sum of all live rewards of a program; null for no limit. */
export function budgetOf({ limits }: Terms): number | null {
  return limits.budget?.total ?? null;
}
