import type { OrderFacts, ReferralFacts } from '@rewardhook/rewards';
import type { Sql } from './client.ts';

/** An order and its member's referral. */
export interface LinkedOrder {
  order: OrderFacts;
  referral: ReferralFacts | null;
  /** An order with an earlier date that is paid and neither cancelled nor returned. */
  earlierPaidOrder: string | null;
}

/** A row as it comes: 64-bit integers are text. */
type Row = Record<
  'order_id' | 'version' | 'member_id' | 'order_amount' | 'paid_amount' | 'shipping_amount',
  string
> &
  Record<'order_date' | 'referral_code' | 'referrer_member_id' | 'linked_at', string> &
  Record<
    'paid_at' | 'cancelled_at' | 'returned_at' | 'month' | 'referral_id' | 'earlier_paid_order',
    string | null
  > & {
    first_order: boolean;
    items: number;
    items_cancelled: number;
    paid_for_rest: string;
  };

// $1 merchant, $2 order ids, $3 whether only those that wait to be judged. Date-times are ISO 8601 in UTC with
// microseconds, as in event bodies. OFFSET 0 keeps the planner from joining any other way than by the keys: believing
// in small tables, it would read all orders of the merchant for each batch. Columns and no JSON: that took four times
// as long to make as all the rest.
const factsSql = `
  SELECT o.order_id, o.version, o.member_id, o.order_amount, o.paid_amount, o.shipping_amount, o.first_order,
    rules.iso_utc(o.order_date) AS order_date, rules.iso_utc(o.paid_at) AS paid_at,
    rules.iso_utc(o.cancelled_at) AS cancelled_at, rules.iso_utc(o.returned_at) AS returned_at,
    to_char(o.paid_at AT TIME ZONE m.timezone, 'YYYY-MM') AS month, i.items, i.items_cancelled, i.paid_for_rest,
    r.id AS referral_id, r.code AS referral_code, r.referrer_member_id, rules.iso_utc(r.linked_at) AS linked_at,
    (SELECT p.order_id FROM orders p
      WHERE p.merchant_id = $1 AND p.member_id = o.member_id AND p.paid_at IS NOT NULL
        AND p.cancelled_at IS NULL AND p.returned_at IS NULL AND p.order_date < o.order_date
      ORDER BY p.order_date, p.order_id LIMIT 1) AS earlier_paid_order
  FROM unnest($2::text[]) AS wanted (order_id)
  CROSS JOIN LATERAL (SELECT * FROM orders WHERE merchant_id = $1 AND order_id = wanted.order_id OFFSET 0) o
  LEFT JOIN LATERAL (
    SELECT * FROM referrals WHERE merchant_id = $1 AND referee_member_id = o.member_id OFFSET 0) r ON true
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS items, count(item ->> 'cancelled_at')::int AS items_cancelled,
      coalesce(sum((item ->> 'paid_amount')::bigint) FILTER (WHERE item ->> 'cancelled_at' IS NULL), 0) AS paid_for_rest
    FROM jsonb_array_elements(o.items) AS item) i
  JOIN merchants m ON m.id = $1
  WHERE NOT $3 OR EXISTS (SELECT 1 FROM due_judgements d WHERE d.merchant_id = $1 AND d.order_id = wanted.order_id)
  ORDER BY o.order_date, o.order_id`;

/** Reads orders with their members' referrals, oldest first; `due` leaves out those that do not wait to be judged. */
export async function readOrderFacts(
  sql: Sql,
  merchantId: string,
  orderIds: string[],
  due: boolean,
): Promise<LinkedOrder[]> {
  const rows = await sql.query<Row>(factsSql, [merchantId, [...new Set(orderIds)], due]);
  return rows.map((row) => ({
    order: orderOf(row),
    referral: referralOf(row),
    earlierPaidOrder: row.earlier_paid_order,
  }));
}

function orderOf(row: Row): OrderFacts {
  return {
    orderId: row.order_id,
    version: Number(row.version),
    memberId: row.member_id,
    orderAmount: Number(row.order_amount),
    paidAmount: Number(row.paid_amount),
    shippingAmount: Number(row.shipping_amount),
    orderDate: row.order_date,
    firstOrder: row.first_order,
    paidAt: row.paid_at,
    cancelledAt: row.cancelled_at,
    returnedAt: row.returned_at,
    items: { count: row.items, cancelled: row.items_cancelled, paidForRest: Number(row.paid_for_rest) },
    month: row.month,
  };
}

function referralOf(row: Row): ReferralFacts | null {
  if (row.referral_id === null) return null;
  return {
    id: row.referral_id,
    code: row.referral_code,
    referrerMemberId: row.referrer_member_id,
    refereeMemberId: row.member_id,
    linkedAt: row.linked_at,
  };
}
