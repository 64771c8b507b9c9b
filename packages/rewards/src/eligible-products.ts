import { paidNow } from './evaluation-input.ts';
import type { OrderProduct, OrderState, ProductSums } from './evaluation-input.ts';
import type { ProductFilter, ProductLists } from './program.ts';

/** What of an order a rule with `products` counts. */
export interface EligibleProducts {
  /** The number of eligible products that are not cancelled. */
  count: number;
  /** What was paid for them, without shipping, in won. */
  amount: number;
}

/** Whether a product is one of some lists. */
type Matches = (product: OrderProduct) => boolean;

/** Looking up a value in a list takes as long as the list is: rules with 1,000 values meet orders of 1,000 products. */
const compiled = new WeakMap<ProductLists, Matches>();

function matcherOf(lists: ProductLists): Matches {
  const known = compiled.get(lists);
  if (known) return known;
  const [productIds, skus, labels] = [new Set(lists.productIds), new Set(lists.skus), new Set(lists.labels)];
  const startsWithOne = (text: string, prefixes: string[]) =>
    prefixes.some((prefix) => text.startsWith(prefix));
  const matches: Matches = (product) =>
    productIds.has(product.productId) ||
    (product.sku !== '' && skus.has(product.sku)) ||
    product.labels.some((label) => labels.has(label)) ||
    startsWithOne(product.productId, lists.productIdPrefixes) ||
    startsWithOne(product.sku, lists.skuPrefixes);
  compiled.set(lists, matches);
  return matches;
}

function isEligible(product: OrderProduct, { include, exclude }: ProductFilter): boolean {
  if (exclude && matcherOf(exclude)(product)) return false;
  return include === null || matcherOf(include)(product);
}

/** Sums up the products of an order for these filters, so that the products themselves need not be kept. */
export function sumProducts(
  products: readonly OrderProduct[],
  filters: readonly ProductFilter[],
): ProductSums {
  let paid = 0n;
  const eligible = new Map(filters.map((filter) => [filter, { count: 0, paid: 0n }]));
  for (const product of products) {
    if (product.isCancelled) continue;
    const amount = BigInt(product.paidAmount);
    paid += amount;
    for (const [filter, sum] of eligible) {
      if (!isEligible(product, filter)) continue;
      sum.count += 1;
      sum.paid += amount;
    }
  }
  return { paid, eligible };
}

/**
 * The eligible products of an order. What was paid for the order may be less than for its products, because of a coupon for the order: each
 * product then has its share. Integers of any size: a product of two amounts exceeds those that a number has exactly.
 * @throws when its products were not summed up for this filter
 */
export function eligibleProducts(order: OrderState, filter: ProductFilter): EligibleProducts {
  const paid = Math.max(0, paidNow(order) - order.shippingAmount);
  if (order.products === 'all_eligible') return { count: 1, amount: paid };
  const eligible = order.products?.eligible.get(filter);
  if (!order.products || !eligible)
    throw new Error(`the products of order ${order.orderId} were not read for a rule`);
  const [base, all] = [BigInt(paid), order.products.paid];
  if (all === 0n) return { count: eligible.count, amount: 0 };
  return {
    count: eligible.count,
    amount: Number(base >= all ? eligible.paid : (eligible.paid * base) / all),
  };
}
