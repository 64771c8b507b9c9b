import type { Queryable } from '../client/client.ts';
import type { Partition } from './prune-partitions.ts';

/**
 * Whether a delivery of an event of this partition, or of an older one, is left: it is pending or held, so that its
 * event is still needed. Must run after the deletion of deliveries.
 */
export async function isNeededByDeliveries(tx: Queryable, { until }: Partition): Promise<boolean> {
  const [row] = await tx.query<{ needed: boolean }>(
    `SELECT EXISTS (
         SELECT 1 FROM merchants m CROSS JOIN LATERAL (
           SELECT 1 FROM deliveries d WHERE d.merchant_id = m.id AND d.created_at < $1 LIMIT 1) d)
       OR EXISTS (SELECT 1 FROM deliveries WHERE replay_id <> '' AND event_created_at < $1) AS needed`,
    [until],
  );
  return row?.needed === true;
}

/**
 * To be called in the transaction that drops a partition of events, before; the returned function after. Events that
 * no reader of the feed has numbered yet leave a gap of one position, by which a reader learns that events are missing.
 */
export async function leaveGapInFeed(
  tx: Queryable,
  { since, until }: Partition,
): Promise<() => Promise<void>> {
  const merchants = await tx.query<{ id: string }>(
    `SELECT m.id FROM merchants m CROSS JOIN LATERAL (
       SELECT 1 FROM events e
       WHERE e.merchant_id = m.id AND e.position IS NULL AND e.created_at >= $1 AND e.created_at < $2 LIMIT 1) e
     ORDER BY m.id`,
    [since, until],
  );
  return async () => {
    if (merchants.length === 0) return;
    await tx.query('UPDATE merchants SET feed_position = feed_position + 1 WHERE id = ANY($1)', [
      merchants.map(({ id }) => id),
    ]);
  };
}
