import type { Database } from '@rewardhook/database';

/** Reads an order from the database, with date-times as ISO 8601 in UTC with microseconds. Undefined when there is none. */
export async function readStoredOrder(
  database: Database,
  merchantId: string,
  orderId: string,
): Promise<Record<string, unknown> | undefined> {
  const [row] = await database.$queryRaw<{ order: Record<string, unknown> }[]>`
    SELECT to_jsonb(o) || (
      SELECT jsonb_object_agg(name, to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
      FROM (VALUES ('order_date', order_date), ('paid_at', paid_at), ('cancelled_at', cancelled_at),
        ('returned_at', returned_at)) AS field (name, at)) AS "order"
    FROM orders o WHERE merchant_id = ${merchantId} AND order_id = ${orderId}`;
  return row?.order;
}
