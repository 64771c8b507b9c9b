import type { ProductFilter } from '@rewardhook/rewards';
import type { Sql } from '../client/client.ts';
import { readInPages } from '../client/read-in-pages.ts';
import { statement } from '../client/statement.ts';
import { listDueOrders } from './read-facts.ts';
import type { DueOrder } from './read-facts.ts';

/** The orders of a simulation. */
export interface SimulationRange {
  /** Orders with an earlier date are left out; null for all. */
  since: string | null;
  /** The number of orders in memory at a time; default 1,000. */
  pageSize?: number;
  /** The filters of products of the draft. */
  products?: ProductFilter[];
}

/** Orders of linked members, and other orders that have a live reward, from a date on. */
const simulatedOrdersSql = statement<{ orderId: string }, [merchantId: string, since: string | null]>({
  name: 'list orders to simulate',
  parameters: ['text', 'timestamp with time zone'],
  columns: { orderId: 'text' },
  text: `
    SELECT o.order_id AS "orderId" FROM orders o
    WHERE o.merchant_id = $1 AND ($2::timestamptz IS NULL OR o.order_date >= $2::timestamptz)
      AND (
        EXISTS (SELECT 1 FROM referrals r WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id)
        OR EXISTS (
          SELECT 1 FROM rewards w
          WHERE w.merchant_id = o.merchant_id AND w.order_id = o.order_id AND w.state IN ('pending', 'confirmed')))
    ORDER BY o.order_date, o.order_id COLLATE "C"`,
});

/**
 * Visits the stored orders that a merchant's program can reward, oldest first, each with what the rules read. All come
 * from one snapshot; nothing is changed.
 */
export function streamSimulationOrders(
  database: Sql,
  merchantId: string,
  { since, pageSize = 1_000, products = [] }: SimulationRange,
  visit: (order: DueOrder) => void,
): Promise<void> {
  const query = { sql: simulatedOrdersSql.text, values: [merchantId, since], pageSize };
  return readInPages(database, query, async (rows, tx) => {
    const ids = (rows as { orderId: string }[]).map(({ orderId }) => orderId);
    (await listDueOrders(tx, merchantId, ids, [], { products })).forEach(visit);
  });
}
