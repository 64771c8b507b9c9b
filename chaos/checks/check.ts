import type { History } from '../ledger/read-history.ts';

/** What a check found: how much it looked at, and what was wrong. */
export interface CheckResult {
  count: number;
  /** How much of it the model could not say anything about. */
  leftOut?: number;
  violations: Violation[];
}

export interface Violation {
  /** The shop, if it is about one. */
  shop?: string;
  text: string;
}

/** A promise of the documents that can be seen to hold, or not, in what happened. */
export interface Check {
  /** As it is named in defects, reports and docs/reliability.md. */
  name: string;
  /** What must hold, in one sentence. */
  promise: string;
  check(history: History): CheckResult;
}

/** Joins the results of one check for each shop. */
export function forEachShop(
  history: History,
  check: (shop: History['shops'][number]) => CheckResult,
): CheckResult {
  const results = history.shops.map((shop) => {
    const { violations, ...counts } = check(shop);
    return { ...counts, violations: violations.map((one) => ({ shop: shop.shop, ...one })) };
  });
  return {
    count: results.reduce((sum, { count }) => sum + count, 0),
    leftOut: results.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0),
    violations: results.flatMap(({ violations }) => violations),
  };
}
