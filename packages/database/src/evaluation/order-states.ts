import { isBefore } from '@rewardhook/rewards';
import type { DecisionKey, OrderState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { after, isoUtc, rawUtc } from '../client/timestamps.ts';
import { countsAsPaid, itemColumns, itemsOf } from '../orders/order-worth.ts';
import type { ItemColumns } from '../orders/order-worth.ts';

/*
 * The statements that read the input of an evaluation run once per batch, for up to 1,000 orders, and must read by
 * key regardless of the statistics:
 * - `OFFSET 0` keeps the planner from replacing a lateral join by a key: if the statistics showed small tables, it
 * would
 *   read all orders of the merchant for each batch.
 * - `(SELECT $1)` hides the merchant from the planner: for one that was created after the last ANALYZE it would expect
 *   that an index on the merchant alone finds at most one row.
 * - Rows are columns, not JSON, which took four times as long as the rest of the statement.
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

/** A row of {@link ordersSql}; 64-bit integers are text. */
type Row = Record<
  'orderId' | 'version' | 'memberId' | 'orderAmount' | 'paidAmount' | 'shippingAmount' | 'orderDate',
  string
> &
  Record<'paidAt' | 'cancelledAt' | 'returnedAt' | 'paidLocally', string | null> & {
    firstOrder: boolean;
    number: number | null;
  } & ItemColumns &
  Record<
    | 'decidedMemberId'
    | 'decidedVersion'
    | 'programVersion'
    | 'outcome'
    | 'reason'
    | 'referralId'
    | 'lastNotBefore',
    string
  >;

/** $1 merchant id, $2 order ids. */
const ordersSql = (lock: '' | 'FOR SHARE') => `
  SELECT
    o.order_id AS "orderId", o.version, o.member_id AS "memberId", o.order_amount AS "orderAmount",
    o.paid_amount AS "paidAmount", o.shipping_amount AS "shippingAmount", o.first_order AS "firstOrder",
    ${rawUtc('o.order_date')} AS "orderDate", ${rawUtc('o.paid_at')} AS "paidAt",
    ${rawUtc('o.cancelled_at')} AS "cancelledAt", ${rawUtc('o.returned_at')} AS "returnedAt",
    to_json(o.paid_at AT TIME ZONE zone.name)::text AS "paidLocally",
    ${itemColumns('o')},
    last.number, last.member_id AS "decidedMemberId", last.order_version AS "decidedVersion",
    last.program_version AS "programVersion", last.outcome, last.reason, last.referral_id AS "referralId",
    ${rawUtc(after('last.created_at'))} AS "lastNotBefore"
  FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (order_id)
  CROSS JOIN LATERAL (
    SELECT * FROM orders WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id OFFSET 0 ${lock}) o
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
  return storedOrders(await database.query<Row>(ordersSql(''), parameters(merchantId, orderIds)));
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
  return storedOrders(await tx.query<Row>(ordersSql('FOR SHARE'), parameters(merchantId, orderIds)));
}

function parameters(merchantId: string, orderIds: string[]): string[] {
  return [merchantId, textArray([...new Set(orderIds)])];
}

function storedOrders(rows: Row[]): StoredOrder[] {
  return rows.map((row) => ({ order: orderOf(row), last: lastOf(row) })).sort(compareAge);
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
    version: Number(row.version),
    memberId: row.memberId,
    orderAmount: Number(row.orderAmount),
    paidAmount: Number(row.paidAmount),
    shippingAmount: Number(row.shippingAmount),
    orderDate: isoUtc(row.orderDate),
    firstOrder: row.firstOrder,
    paidAt: isoUtc(row.paidAt),
    cancelledAt: isoUtc(row.cancelledAt),
    returnedAt: isoUtc(row.returnedAt),
    items: itemsOf(row),
    month: monthOf(row.paidLocally),
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
    memberId: row.decidedMemberId,
    referralId: row.referralId,
    orderVersion: Number(row.decidedVersion),
    programVersion: Number(row.programVersion),
    outcome: row.outcome,
    reason: row.reason,
    notBefore: isoUtc(row.lastNotBefore),
  };
}

/** The paid orders of a member with the earliest date. */
export interface EarliestPaid {
  orderDate: string;
  /** Sorted; several when they have the same date. */
  orderIds: string[];
}

/** $1 merchant id, $2 member ids. */
const earliestPaidSql = `
  SELECT wanted.member_id AS "memberId", paid.order_id AS "orderId", ${rawUtc('paid.order_date')} AS "orderDate"
  FROM unnest($2::text[]) AS wanted (member_id)
  CROSS JOIN LATERAL (
    SELECT order_id, order_date FROM orders o
    WHERE merchant_id = (SELECT $1::text) AND member_id = wanted.member_id AND ${countsAsPaid('o')}
    ORDER BY order_date FETCH FIRST ROW WITH TIES) paid`;

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
