import type { Database } from '../client/client.ts';
import { readFacts, readPrograms } from './evaluation-input.ts';
import type { DueOrder } from './evaluation-input.ts';
import { readInPages } from '../client/read-in-pages.ts';

/** Which orders are replayed. */
export interface Replay {
  /** Orders with an earlier order date are left out; null replays all. */
  since: Date | null;
  /** Orders in memory at a time; default 1,000. */
  pageSize?: number;
}

/** Orders of linked members, and those that hold a live reward of somebody all the same. */
const concernedOrders = `
  SELECT o.order_id FROM orders o
  WHERE o.merchant_id = $1 AND ($2::timestamptz IS NULL OR o.order_date >= $2::timestamptz)
    AND (EXISTS (SELECT 1 FROM referrals r WHERE r.merchant_id = o.merchant_id AND r.referee_member_id = o.member_id)
      OR EXISTS (SELECT 1 FROM rewards w WHERE w.merchant_id = o.merchant_id AND w.order_id = o.order_id
        AND w.state IN ('pending', 'confirmed')))
  ORDER BY o.order_date, o.order_id COLLATE "C"`;

/**
 * Reads the stored orders that concern a merchant's program, oldest first, each with what the rules look at. All of
 * them show one moment, however long it takes, and nothing is changed.
 */
export function streamSimulationOrders(
  database: Database,
  merchantId: string,
  { since, pageSize = 1_000 }: Replay,
  visit: (order: DueOrder) => void,
): Promise<void> {
  const query = { sql: concernedOrders, values: [merchantId, since], pageSize };
  return readInPages(database, query, async (rows, tx) => {
    const ids = (rows as { order_id: string }[]).map(({ order_id }) => order_id);
    const programs = await readPrograms(tx, merchantId);
    (await readFacts(tx, merchantId, ids, programs)).forEach(visit);
  });
}
