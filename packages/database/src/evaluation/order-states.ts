import { isBefore } from '@rewardhook/rewards';
import type { DecisionKey, OrderState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { rowsByKey } from '../client/rows-by-key.ts';
import { textArray } from '../client/sql-arrays.ts';
import { after, isoUtc, rawUtc, utc, withMicroseconds } from '../client/timestamps.ts';
import { countsAsPaid, itemExpressions, itemsOf } from '../orders/order-worth.ts';
import type { ItemColumns } from '../orders/order-worth.ts';

/*
 * The statements that read the input of an evaluation run once per batch, for up to 1,000 orders, and read by key
 * regardless of the statistics (rows-by-key.ts). Orders are read as one JSON array for each column: the driver takes five times as long for
 * the same values in rows, and PostgreSQL four times as long to make a JSON object of each order.
 */

/** The newest decision about an order. */
export interface LastDecision extends DecisionKey {
  number: number;
  memberId: string;
  /** The earliest time of a later change. */
  notBefore: string;
}

/** An order with the newest decision about it, if there is one. */
export interface StoredOrder {
  order: OrderState;
  last: LastDecision | undefined;
}

/** The columns of {@link ordersSql}. */
const orderColumns = {
  orderId: 'o.order_id',
  version: 'o.version',
  memberId: 'o.member_id',
  orderAmount: 'o.order_amount',
  paidAmount: 'o.paid_amount',
  shippingAmount: 'o.shipping_amount',
  firstOrder: 'o.first_order',
  orderDate: utc('o.order_date'),
  paidAt: utc('o.paid_at'),
  cancelledAt: utc('o.cancelled_at'),
  returnedAt: utc('o.returned_at'),
  currency: 'o.currency',
  paidLocally: 'o.paid_at AT TIME ZONE zone.name',
  ...itemExpressions('o'),
  number: 'last.number',
  decidedMemberId: 'last.member_id',
  decidedVersion: 'last.order_version',
  programVersion: 'last.program_version',
  outcome: 'last.outcome',
  reason: 'last.reason',
  referralId: 'last.referral_id',
  lastNotBefore: utc(after('last.created_at')),
};

/** One order: the values of {@link orderColumns}. */
type Row = Record<'orderId' | 'memberId' | 'orderDate', string> &
  Record<'version' | 'orderAmount' | 'paidAmount' | 'shippingAmount', number> &
  Record<'paidAt' | 'cancelledAt' | 'returnedAt' | 'currency' | 'paidLocally', string | null> & {
    firstOrder: boolean;
    number: number | null;
  } & ItemColumns &
  Record<'decidedMemberId' | 'outcome' | 'reason' | 'referralId' | 'lastNotBefore', string> &
  Record<'decidedVersion' | 'programVersion', number>;

/** Each column as an array, or null when there are no orders. */
type Columns = { [Name in keyof Row]: Row[Name][] | null };

/** Returns one row, of {@link Columns}. $1 merchant id, $2 order ids. */
const ordersSql = (lock: '' | 'FOR SHARE') => `
  SELECT ${Object.entries(orderColumns)
    .map(([name, expression]) => `to_json(array_agg(${expression})) AS "${name}"`)
    .join(', ')}
  FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (order_id)
  CROSS JOIN LATERAL ${rowsByKey('orders', { column: 'order_id', value: 'wanted.order_id', lock })} o
  LEFT JOIN LATERAL (
    SELECT * FROM decisions WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id
    ORDER BY number DESC LIMIT 1) last ON true
  CROSS JOIN (SELECT rules.known_zone(timezone) AS name FROM merchants WHERE id = $1 OFFSET 0) zone`;

/** Lists orders with their newest decisions, oldest first. */
export async function listOrderStates(
  database: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<StoredOrder[]> {
  return storedOrders(await database.query<Columns>(ordersSql(''), parameters(merchantId, orderIds)));
}

/**
 * Lists orders and locks them against changes until the transaction ends: a change that moves one to another member then
 * sees the decision of this transaction. Rows are locked in the order in which storing orders locks them.
 */
export async function lockOrderStates(
  tx: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<StoredOrder[]> {
  return storedOrders(await tx.query<Columns>(ordersSql('FOR SHARE'), parameters(merchantId, orderIds)));
}

function parameters(merchantId: string, orderIds: string[]): string[] {
  return [merchantId, textArray([...new Set(orderIds)])];
}

function storedOrders([columns]: Columns[]): StoredOrder[] {
  const read = Object.entries(columns ?? {}) as [keyof Row, Row[keyof Row][] | null][];
  const count = columns?.orderId?.length ?? 0;
  const orders = Array.from({ length: count }, (_, index) => {
    const row: Partial<Record<keyof Row, unknown>> = {};
    for (const [name, values] of read) row[name] = values?.[index];
    return { order: orderOf(row as Row), last: lastOf(row as Row) };
  });
  return orders.sort(compareAge);
}

/** Compares orders by date, and by id where the dates are equal. */
export function compareAge(
  { order: one }: { order: OrderState },
  { order: other }: { order: OrderState },
): number {
  if (one.orderDate !== other.orderDate) return isBefore(one.orderDate, other.orderDate) ? -1 : 1;
  return one.orderId < other.orderId ? -1 : 1;
}

function orderOf(row: Row): OrderState {
  return {
    orderId: row.orderId,
    version: row.version,
    memberId: row.memberId,
    orderAmount: row.orderAmount,
    paidAmount: row.paidAmount,
    shippingAmount: row.shippingAmount,
    orderDate: withMicroseconds(row.orderDate),
    firstOrder: row.firstOrder,
    paidAt: withMicroseconds(row.paidAt),
    cancelledAt: withMicroseconds(row.cancelledAt),
    returnedAt: withMicroseconds(row.returnedAt),
    currency: row.currency,
    items: itemsOf(row),
    month: monthOf(row.paidLocally),
  };
}

/** `2026-11` of `2026-11-21T…`; the year may have five digits. */
function monthOf(local: string | null): string | null {
  return local && local.slice(0, local.indexOf('-') + 3);
}

function lastOf(row: Row): LastDecision | undefined {
  if (row.number === null) return undefined;
  return {
    number: row.number,
    memberId: row.decidedMemberId,
    referralId: row.referralId,
    orderVersion: row.decidedVersion,
    programVersion: row.programVersion,
    outcome: row.outcome,
    reason: row.reason,
    notBefore: withMicroseconds(row.lastNotBefore),
  };
}

/** The paid orders of a member with the earliest date. */
export interface EarliestPaid {
  orderDate: string;
  /** Sorted; several when they have the same date. */
  orderIds: string[];
}

/**
 * SQL of the paid orders of a member with the earliest date. It reads these orders and one more, whatever the number of the
 * member's orders: only the index of paid orders has their order.
 */
export const earliestPaidOf = (memberId: string): string => `
    SELECT order_id, member_id, version, order_date FROM orders o
    WHERE merchant_id = (SELECT $1::text) AND member_id >= ${memberId} AND member_id <= ${memberId} AND ${countsAsPaid('o')}
    ORDER BY member_id, order_date FETCH FIRST ROW WITH TIES`;

/** $1 merchant id, $2 member ids. */
const earliestPaidSql = `
  SELECT wanted.member_id AS "memberId", paid.order_id AS "orderId", ${rawUtc('paid.order_date')} AS "orderDate"
  FROM unnest($2::text[]) AS wanted (member_id)
  CROSS JOIN LATERAL (
    ${earliestPaidOf('wanted.member_id')}) paid`;

/** Lists the earliest paid orders of members, by member. */
export async function listEarliestPaid(
  database: Queryable,
  merchantId: string,
  memberIds: string[],
): Promise<Map<string, EarliestPaid>> {
  const rows = await database.query<Record<'memberId' | 'orderId' | 'orderDate', string>>(earliestPaidSql, [
    merchantId,
    textArray(memberIds),
  ]);
  const earliest = new Map<string, EarliestPaid>();
  for (const { memberId, orderId, orderDate } of rows) {
    const known = earliest.get(memberId);
    if (known) known.orderIds.push(orderId);
    else earliest.set(memberId, { orderDate: isoUtc(orderDate), orderIds: [orderId] });
  }
  for (const { orderIds } of earliest.values()) orderIds.sort();
  return earliest;
}
