import { compareAge, compareIds } from '@rewardhook/rewards';
import type { DecisionKey, OrderState } from '@rewardhook/rewards';
import type { Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';
import { isoUtc, withMicroseconds } from '../client/timestamps.ts';
import { itemsOf } from '../orders/order-worth.ts';
import type { ItemColumns } from '../orders/order-worth.ts';

/*
 * The statements that read the input of an evaluation run once per batch, for up to 1,000 orders, and read by key
 * regardless of the statistics (statement.ts). Orders are read as one JSON array for each column: the driver takes five times as long for
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

/** One order, with the newest decision about it. */
type Row = Record<'orderId' | 'memberId' | 'orderDate', string> &
  Record<'version' | 'orderAmount' | 'paidAmount' | 'shippingAmount', number> &
  Record<
    'paidAt' | 'countsAsPaidAt' | 'cancelledAt' | 'returnedAt' | 'currency' | 'paidLocally',
    string | null
  > & {
    firstOrder: boolean;
    labels: string[] | null;
    number: number | null;
  } & ItemColumns &
  Record<'decidedMemberId' | 'outcome' | 'reason' | 'referralId' | 'lastNotBefore', string> &
  Record<'decidedVersion' | 'programVersion', number> & { rule: string | null };

/** Each column as an array, or null when there are no orders. */
type Columns = { [Name in keyof Row]: Row[Name][] | null };

const orderColumns = {
  orderId: 'json',
  version: 'json',
  memberId: 'json',
  orderAmount: 'json',
  paidAmount: 'json',
  shippingAmount: 'json',
  firstOrder: 'json',
  orderDate: 'json',
  paidAt: 'json',
  countsAsPaidAt: 'json',
  cancelledAt: 'json',
  returnedAt: 'json',
  currency: 'json',
  labels: 'json',
  paidLocally: 'json',
  items: 'json',
  itemsCancelled: 'json',
  number: 'json',
  decidedMemberId: 'json',
  decidedVersion: 'json',
  programVersion: 'json',
  rule: 'json',
  outcome: 'json',
  reason: 'json',
  referralId: 'json',
  lastNotBefore: 'json',
} as const;

/** Returns one row. */
const listOrdersSql = statement<Columns, [merchantId: string, orderIds: string]>({
  name: 'list orders with their decisions',
  parameters: ['text', 'text[]'],
  columns: orderColumns,
  text: `
    SELECT
      to_json(array_agg(o.order_id)) AS "orderId",
      to_json(array_agg(o.version)) AS "version",
      to_json(array_agg(o.member_id)) AS "memberId",
      to_json(array_agg(o.order_amount)) AS "orderAmount",
      to_json(array_agg(o.paid_amount)) AS "paidAmount",
      to_json(array_agg(o.shipping_amount)) AS "shippingAmount",
      to_json(array_agg(o.first_order)) AS "firstOrder",
      to_json(array_agg(o.order_date AT TIME ZONE 'UTC')) AS "orderDate",
      to_json(array_agg(o.paid_at AT TIME ZONE 'UTC')) AS "paidAt",
      to_json(array_agg(o.counts_as_paid_at AT TIME ZONE 'UTC')) AS "countsAsPaidAt",
      to_json(array_agg(o.cancelled_at AT TIME ZONE 'UTC')) AS "cancelledAt",
      to_json(array_agg(o.returned_at AT TIME ZONE 'UTC')) AS "returnedAt",
      to_json(array_agg(o.currency)) AS "currency",
      to_json(array_agg(to_json(o.labels))) AS "labels",
      to_json(array_agg(o.paid_at AT TIME ZONE zone.name)) AS "paidLocally",
      to_json(array_agg(jsonb_array_length(o.items))) AS "items",
      to_json(array_agg(
        CASE WHEN o.items @? '$[*].cancelled_at ? (@ != null)' THEN (
          SELECT jsonb_build_array(count(item ->> 'cancelled_at'),
            coalesce(sum((item ->> 'paid_amount')::bigint) FILTER (WHERE item ->> 'cancelled_at' IS NULL), 0))
          FROM jsonb_array_elements(o.items) AS item) END)) AS "itemsCancelled",
      to_json(array_agg(last.number)) AS "number",
      to_json(array_agg(last.member_id)) AS "decidedMemberId",
      to_json(array_agg(last.order_version)) AS "decidedVersion",
      to_json(array_agg(last.program_version)) AS "programVersion",
      to_json(array_agg(last.rule)) AS "rule",
      to_json(array_agg(last.outcome)) AS "outcome",
      to_json(array_agg(last.reason)) AS "reason",
      to_json(array_agg(last.referral_id)) AS "referralId",
      to_json(array_agg((last.created_at + interval '1 microsecond') AT TIME ZONE 'UTC')) AS "lastNotBefore"
    FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (order_id)
    CROSS JOIN LATERAL (
      SELECT * FROM orders
      WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
      ORDER BY order_id OFFSET 0) o
    LEFT JOIN LATERAL (
      SELECT * FROM decisions WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id
      ORDER BY number DESC LIMIT 1) last ON true
    CROSS JOIN (SELECT rules.known_zone(timezone) AS name FROM merchants WHERE id = $1 OFFSET 0) zone`,
});

/** Returns one row. */
const lockOrdersSql = statement<Columns, [merchantId: string, orderIds: string]>({
  name: 'lock orders',
  parameters: ['text', 'text[]'],
  columns: orderColumns,
  text: `
    SELECT
      to_json(array_agg(o.order_id)) AS "orderId",
      to_json(array_agg(o.version)) AS "version",
      to_json(array_agg(o.member_id)) AS "memberId",
      to_json(array_agg(o.order_amount)) AS "orderAmount",
      to_json(array_agg(o.paid_amount)) AS "paidAmount",
      to_json(array_agg(o.shipping_amount)) AS "shippingAmount",
      to_json(array_agg(o.first_order)) AS "firstOrder",
      to_json(array_agg(o.order_date AT TIME ZONE 'UTC')) AS "orderDate",
      to_json(array_agg(o.paid_at AT TIME ZONE 'UTC')) AS "paidAt",
      to_json(array_agg(o.counts_as_paid_at AT TIME ZONE 'UTC')) AS "countsAsPaidAt",
      to_json(array_agg(o.cancelled_at AT TIME ZONE 'UTC')) AS "cancelledAt",
      to_json(array_agg(o.returned_at AT TIME ZONE 'UTC')) AS "returnedAt",
      to_json(array_agg(o.currency)) AS "currency",
      to_json(array_agg(to_json(o.labels))) AS "labels",
      to_json(array_agg(o.paid_at AT TIME ZONE zone.name)) AS "paidLocally",
      to_json(array_agg(jsonb_array_length(o.items))) AS "items",
      to_json(array_agg(
        CASE WHEN o.items @? '$[*].cancelled_at ? (@ != null)' THEN (
          SELECT jsonb_build_array(count(item ->> 'cancelled_at'),
            coalesce(sum((item ->> 'paid_amount')::bigint) FILTER (WHERE item ->> 'cancelled_at' IS NULL), 0))
          FROM jsonb_array_elements(o.items) AS item) END)) AS "itemsCancelled",
      to_json(array_agg(last.number)) AS "number",
      to_json(array_agg(last.member_id)) AS "decidedMemberId",
      to_json(array_agg(last.order_version)) AS "decidedVersion",
      to_json(array_agg(last.program_version)) AS "programVersion",
      to_json(array_agg(last.rule)) AS "rule",
      to_json(array_agg(last.outcome)) AS "outcome",
      to_json(array_agg(last.reason)) AS "reason",
      to_json(array_agg(last.referral_id)) AS "referralId",
      to_json(array_agg((last.created_at + interval '1 microsecond') AT TIME ZONE 'UTC')) AS "lastNotBefore"
    FROM (SELECT unnest($2::text[]) ORDER BY 1) AS wanted (order_id)
    CROSS JOIN LATERAL (
      SELECT * FROM orders
      WHERE merchant_id = (SELECT $1::text) AND order_id >= wanted.order_id AND order_id <= wanted.order_id
      ORDER BY order_id OFFSET 0 FOR SHARE) o
    LEFT JOIN LATERAL (
      SELECT * FROM decisions WHERE merchant_id = (SELECT $1::text) AND order_id = wanted.order_id
      ORDER BY number DESC LIMIT 1) last ON true
    CROSS JOIN (SELECT rules.known_zone(timezone) AS name FROM merchants WHERE id = $1 OFFSET 0) zone`,
});

/** Lists orders with their newest decisions, oldest first. */
export async function listOrderStates(
  database: Queryable,
  merchantId: string,
  orderIds: string[],
): Promise<StoredOrder[]> {
  return storedOrders(await run(database, listOrdersSql, parameters(merchantId, orderIds)));
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
  return storedOrders(await run(tx, lockOrdersSql, parameters(merchantId, orderIds)));
}

function parameters(merchantId: string, orderIds: string[]): [string, string] {
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
  return orders.sort(byAge);
}

/** Compares stored orders by age. */
export function byAge({ order: one }: StoredOrder, { order: other }: StoredOrder): number {
  return compareAge(one, other);
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
    countsAsPaidAt: withMicroseconds(row.countsAsPaidAt),
    cancelledAt: withMicroseconds(row.cancelledAt),
    returnedAt: withMicroseconds(row.returnedAt),
    currency: row.currency,
    items: itemsOf(row),
    labels: row.labels ?? [],
    products: null,
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
    rule: row.rule,
    outcome: row.outcome,
    reason: row.reason,
    notBefore: withMicroseconds(row.lastNotBefore),
  };
}

/** The paid orders of a member with the earliest date. */
export interface EarliestPaid {
  orderDate: string;
  /** In the order of `compareIds`; several when they have the same date. */
  orderIds: string[];
}

type PaidOrder = Record<'memberId' | 'orderId' | 'orderDate', string>;

/**
 * Reads the paid orders with the earliest date and one more of each member, whatever the number of the member's orders: only the
 * index of paid orders, whose condition is that of `counts_as_paid`, has their order.
 */
const earliestPaidSql = statement<PaidOrder, [merchantId: string, memberIds: string, since: string]>({
  name: 'list earliest paid orders',
  parameters: ['text', 'text[]', 'timestamp with time zone[]'],
  columns: { memberId: 'text', orderId: 'text', orderDate: 'text' },
  text: `
    SELECT wanted.member_id AS "memberId", paid.order_id AS "orderId",
      to_json(paid.order_date AT TIME ZONE 'UTC')::text AS "orderDate"
    FROM unnest($2::text[], $3::timestamptz[]) AS wanted (member_id, since)
    CROSS JOIN LATERAL (
      SELECT order_id, member_id, version, order_date FROM orders
      WHERE merchant_id = (SELECT $1::text) AND member_id >= wanted.member_id AND member_id <= wanted.member_id
        AND order_date >= wanted.since
        AND rules.counts_as_paid(paid_at, counts_as_paid_at, cancelled_at, returned_at, items)
      ORDER BY member_id, order_date FETCH FIRST ROW WITH TIES) paid`,
});

/** Lists the earliest paid orders of members, by member; of some, only orders from a time on (`since`) count. */
export async function listEarliestPaid(
  database: Queryable,
  merchantId: string,
  memberIds: string[],
  since: (memberId: string) => string | undefined,
): Promise<Map<string, EarliestPaid>> {
  const rows = await run(database, earliestPaidSql, [
    merchantId,
    textArray(memberIds),
    textArray(memberIds.map((memberId) => since(memberId) ?? '-infinity')),
  ]);
  const earliest = new Map<string, EarliestPaid>();
  for (const { memberId, orderId, orderDate } of rows) {
    const known = earliest.get(memberId);
    if (known) known.orderIds.push(orderId);
    else earliest.set(memberId, { orderDate: isoUtc(orderDate), orderIds: [orderId] });
  }
  for (const { orderIds } of earliest.values()) orderIds.sort(compareIds);
  return earliest;
}
