import type { OrderState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { after, isBefore, isoUtc, rawUtc } from '../client/timestamps.ts';
import { countsAsPaid, itemColumns, itemFacts } from '../orders/order-worth.ts';
import type { ItemColumns } from '../orders/order-worth.ts';
import { textArray } from '../client/sql-arrays.ts';

/** The last decision of an order. */
export interface LastDecision {
  number: number;
  memberId: string;
  referralId: string;
  orderVersion: number;
  programVersion: number;
  outcome: string;
  reason: string;
  /** The earliest time for what follows it. */
  notBefore: string;
}

/** An order with the last decision that was made of it, if there is one. */
export interface StoredOrder {
  order: OrderState;
  last: LastDecision | undefined;
}

/** A row as it comes: 64-bit integers are text. */
type Row = Record<
  'order_id' | 'version' | 'member_id' | 'order_amount' | 'paid_amount' | 'shipping_amount' | 'order_date',
  string
> &
  Record<'paid_at' | 'cancelled_at' | 'returned_at' | 'paid_locally', string | null> & {
    first_order: boolean;
    number: number | null;
  } & ItemColumns &
  Record<
    | 'decided_member_id'
    | 'decided_version'
    | 'program_version'
    | 'outcome'
    | 'reason'
    | 'referral_id'
    | 'last_not_before',
    string
  >;

// $1 merchant, $2 order ids. OFFSET 0 keeps the planner from joining any other way than by the keys: believing in small
// tables, it would read all orders of the merchant for each batch. (SELECT $1) hides which merchant it is: for one that
// came after the last ANALYZE it would believe that any index that begins with the merchant leads to a row or none.
// Columns and no JSON: that took four times as long to make as all the rest.
const ordersSql = (lock: '' | 'FOR SHARE') => `
  SELECT o.order_id, o.version, o.member_id, o.order_amount, o.paid_amount, o.shipping_amount, o.first_order,
    ${rawUtc('o.order_date')} AS order_date, ${rawUtc('o.paid_at')} AS paid_at,
    ${rawUtc('o.cancelled_at')} AS cancelled_at, ${rawUtc('o.returned_at')} AS returned_at,
    to_json(o.paid_at AT TIME ZONE zone.name)::text AS paid_locally,
    ${itemColumns('o')},
    last.number, last.member_id AS decided_member_id, last.order_version AS decided_version, last.program_version,
    last.outcome, last.reason, last.referral_id, ${rawUtc(after('last.created_at'))} AS last_not_before
  FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (order_id)
  CROSS JOIN LATERAL (
    SELECT * FROM orders WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id OFFSET 0 ${lock}) o
  LEFT JOIN LATERAL (
    SELECT * FROM decisions WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id
    ORDER BY number DESC LIMIT 1) last ON true
  CROSS JOIN (SELECT rules.known_zone(timezone) AS name FROM merchants WHERE id = $1 OFFSET 0) zone`;

/** Reads orders, oldest first. */
export async function readOrders(
  sql: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<StoredOrder[]> {
  return storedOrders(await sql.query<Row>(ordersSql(''), [merchantId, textArray([...new Set(orderIds)])]));
}

/**
 * The same, and keeps them from changing until this transaction ends: who moves an order to another member then sees the
 * decision that was made meanwhile. In the order in which the upsert locks them.
 */
export async function lockOrders(
  tx: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<StoredOrder[]> {
  return storedOrders(
    await tx.query<Row>(ordersSql('FOR SHARE'), [merchantId, textArray([...new Set(orderIds)])]),
  );
}

function storedOrders(rows: Row[]): StoredOrder[] {
  return rows.map((row) => ({ order: orderOf(row), last: lastOf(row) })).sort(byAge);
}

/** Orders the oldest first; of several with one date in the order of their ids. */
export function byAge(
  { order: one }: { order: OrderState },
  { order: other }: { order: OrderState },
): number {
  if (one.orderDate !== other.orderDate) return isBefore(one.orderDate, other.orderDate) ? -1 : 1;
  return one.orderId < other.orderId ? -1 : 1;
}

function orderOf(row: Row): OrderState {
  return {
    orderId: row.order_id,
    version: Number(row.version),
    memberId: row.member_id,
    orderAmount: Number(row.order_amount),
    paidAmount: Number(row.paid_amount),
    shippingAmount: Number(row.shipping_amount),
    orderDate: isoUtc(row.order_date),
    firstOrder: row.first_order,
    paidAt: isoUtc(row.paid_at),
    cancelledAt: isoUtc(row.cancelled_at),
    returnedAt: isoUtc(row.returned_at),
    items: itemFacts(row),
    month: monthOf(row.paid_locally),
  };
}

/** `2026-11` of `"2026-11-21T…"`; the year may have five digits. */
function monthOf(local: string | null): string | null {
  return local && local.slice(1, local.indexOf('-', 1) + 3);
}

function lastOf(row: Row): LastDecision | undefined {
  if (row.number === null) return undefined;
  return {
    number: row.number,
    memberId: row.decided_member_id,
    referralId: row.referral_id,
    orderVersion: Number(row.decided_version),
    programVersion: Number(row.program_version),
    outcome: row.outcome,
    reason: row.reason,
    notBefore: isoUtc(row.last_not_before),
  };
}

/** The earliest orders of a member that count as paid: all that have the same date. */
export interface EarliestPaid {
  orderDate: string;
  orderIds: string[];
}

// $1 merchant, $2 member ids.
const earliestSql = `
  SELECT wanted.member_id, paid.order_id, ${rawUtc('paid.order_date')} AS order_date
  FROM unnest($2::text[]) AS wanted (member_id)
  CROSS JOIN LATERAL (
    SELECT order_id, order_date FROM orders o
    WHERE merchant_id = (SELECT $1::text) AND member_id = wanted.member_id AND ${countsAsPaid('o')}
    ORDER BY order_date FETCH FIRST ROW WITH TIES) paid`;

/** The earliest paid orders by member. */
export async function readEarliestPaid(
  sql: Queryable,
  merchantId: string,
  memberIds: string[],
): Promise<Map<string, EarliestPaid>> {
  const rows = await sql.query<{ member_id: string; order_id: string; order_date: string }>(earliestSql, [
    merchantId,
    textArray(memberIds),
  ]);
  const earliest = new Map<string, EarliestPaid>();
  for (const { member_id, order_id, order_date } of rows) {
    const known = earliest.get(member_id);
    if (known) known.orderIds.push(order_id);
    else earliest.set(member_id, { orderDate: isoUtc(order_date), orderIds: [order_id] });
  }
  for (const { orderIds } of earliest.values()) orderIds.sort();
  return earliest;
}
