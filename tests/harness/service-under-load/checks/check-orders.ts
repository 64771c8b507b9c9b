import { isDeepStrictEqual } from 'node:util';
import type { Order } from '@rewardhook/contract';
import { readRows } from '../../read-rows.ts';
import type { Merchant } from '../open-merchant.ts';
import { firstFew } from './compare.ts';

interface OrderRow extends Record<'order_date' | 'paid_at' | 'cancelled_at' | 'returned_at', Date | null> {
  order_id: string;
  member_id: string;
  first_order: boolean;
  currency: string | null;
  order_amount: string;
  paid_amount: string;
  shipping_amount: string;
  items: Order['items'];
}

/** Checks that exactly the accepted orders are stored, each in its newest accepted state; those of a merged member belong to the survivor. */
export async function checkOrders(
  databaseUrl: string,
  { merchantId, accepted }: Merchant,
): Promise<string[]> {
  const rows = await readRows<OrderRow>(
    databaseUrl,
    `SELECT order_id, member_id, order_amount, paid_amount, shipping_amount, order_date, first_order, paid_at,
       cancelled_at, returned_at, currency, items FROM orders WHERE merchant_id = $1`,
    [merchantId],
  );
  const stored = new Map(rows.map((row) => [row.order_id, asSent(row)]));
  const lost = [...accepted.orders.keys()].filter((id) => !stored.has(id));
  const unknown = [...stored.keys()].filter((id) => !accepted.orders.has(id));
  const wrong = [...accepted.orders].flatMap(([id, order]) => {
    const sent = { ...order, member_id: accepted.merges.get(order.member_id) ?? order.member_id };
    const found = stored.get(id);
    const fields = found ? (Object.keys(sent) as (keyof Order)[]) : [];
    const differing = fields.filter((field) => !isDeepStrictEqual(found?.[field], sent[field]));
    return differing.map((field) => {
      const [is, sentValue] = [found?.[field], sent[field]].map((value) => JSON.stringify(value));
      return `${field} of order ${id} is ${is}, last accepted was ${sentValue}`;
    });
  });
  return [
    ...firstFew(lost.map((id) => `order ${id} was accepted and is not stored`)),
    ...firstFew(unknown.map((id) => `order ${id} is stored and was never accepted`)),
    ...firstFew(wrong),
  ];
}

function asSent(row: OrderRow): Order {
  const time = (date: Date | null) => date?.toISOString() ?? null;
  return {
    ...row,
    order_amount: Number(row.order_amount),
    paid_amount: Number(row.paid_amount),
    shipping_amount: Number(row.shipping_amount),
    order_date: time(row.order_date) ?? '',
    paid_at: time(row.paid_at),
    cancelled_at: time(row.cancelled_at),
    returned_at: time(row.returned_at),
    // States that have one are older, and are not stored.
    updated_at: null,
  };
}
