import { paidNow } from './facts.ts';
import type { OrderState } from './facts.ts';
import type { Benefit } from './program.ts';

/** What a benefit comes to for an order, in its unit. Integers throughout: a rate has at most two decimals. */
export function amountOf({ amount }: Benefit, order: OrderState): number {
  if (amount.kind === 'fixed') return amount.value;
  const base = BigInt(Math.max(0, paidNow(order) - order.shippingAmount));
  const earned = Number((base * BigInt(Math.round(amount.rate * 100))) / 10_000n);
  return amount.cap === null ? earned : Math.min(earned, amount.cap);
}
