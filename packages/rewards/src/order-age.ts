import type { OrderState } from './evaluation-input.ts';
import { isBefore } from './timestamps.ts';

/**
 * Compares ids by code points, which is the order of their bytes in UTF-8 and of `COLLATE "C"` in PostgreSQL. The operators of
 * JavaScript compare code units: they put characters of two code units before some of one.
 */
export function compareIds(one: string, other: string): number {
  for (let index = 0; ; index += 1) {
    const [point = -1, otherPoint = -1] = [one.codePointAt(index), other.codePointAt(index)];
    if (point !== otherPoint) return point - otherPoint;
    if (point === -1) return 0;
  }
}

/** Compares orders by date, then by id. Of orders that count as the first, the least one has the reward. */
export function compareAge(
  one: Pick<OrderState, 'orderDate' | 'orderId'>,
  other: Pick<OrderState, 'orderDate' | 'orderId'>,
): number {
  if (one.orderDate !== other.orderDate) return isBefore(one.orderDate, other.orderDate) ? -1 : 1;
  return compareIds(one.orderId, other.orderId);
}
