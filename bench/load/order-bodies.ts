import { makeOrders } from './make-orders.ts';
import type { OrdersPlan } from './make-orders.ts';

/** The first index: all later ones have the same number of digits, so that a body can be changed in place. */
const firstIndex = 100_000_000;

/** Makes the bodies of any number of requests without keeping them. */
export interface OrderBodies {
  /** The body of the request with this number; the same number makes the same orders. The buffer is new. */
  make(request: number): Buffer;
}

/** A number in the template: where its digits are, how many, and how many orders share one value. */
interface Digits {
  at: number;
  width: number;
  offset: number;
  divisor: number;
}

/**
 * Prepares bodies with `batch` orders each. Building and printing each order would cost the load generator several times
 * as much as sending it: one body is the template, and the ids of orders and members are written into copies of it.
 */
export function openOrderBodies(
  { prefix, ordersPerMember }: Omit<OrdersPlan, 'orders'>,
  batch: number,
): OrderBodies {
  const plan = { prefix, orders: 0, ordersPerMember };
  const template = Buffer.from(JSON.stringify({ orders: makeOrders(plan, firstIndex, firstIndex + batch) }));
  const digits: Digits[] = [];
  let from = 0;
  for (let order = 0; order < batch; order += 1) {
    for (const [name, divisor] of [
      [`"order_id":"${prefix}-`, 1],
      [`"member_id":"${prefix}-member-`, ordersPerMember],
    ] as const) {
      const at = template.indexOf(name, from) + Buffer.byteLength(name);
      const width = template.indexOf('"', at) - at;
      digits.push({ at, width, offset: order, divisor });
      from = at;
    }
  }
  return {
    make(request) {
      const body = Buffer.from(template);
      const first = firstIndex + request * batch;
      for (const { at, width, offset, divisor } of digits)
        writeDigits(body, at, width, Math.floor((first + offset) / divisor));
      return body;
    },
  };
}

/** The number of the request that contains an order, from the order's id. */
export function requestOf(orderId: string, batch: number): number {
  return Math.floor((Number(orderId.slice(-9)) - firstIndex) / batch);
}

function writeDigits(body: Buffer, at: number, width: number, number: number): void {
  let rest = number;
  for (let index = at + width - 1; index >= at; index -= 1) {
    body[index] = 48 + (rest % 10);
    rest = Math.floor(rest / 10);
  }
}
