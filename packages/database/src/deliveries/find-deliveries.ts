import type { Database, Queryable } from '../client/client.ts';
import { textArray } from '../client/sql-arrays.ts';
import { run, statement } from '../client/statement.ts';

export interface DeliveryFilter {
  state?: string;
  endpointId?: string;
  limit: number;
}

/**
 * A merchant's deliveries, newest first. `nextAttemptAt` is the earliest time at which each is sent next; null when it
 * is held or final.
 */
export async function listDeliveries(database: Database, merchantId: string, filter: DeliveryFilter) {
  const { state, endpointId, limit } = filter;
  const deliveries = await database.delivery.findMany({
    where: { merchantId, ...(state ? { state } : {}), ...(endpointId ? { endpointId } : {}) },
    omit: { merchantId: true, eventCreatedAt: true, leasedUntil: true, retryAt: true },
    orderBy: { createdAt: 'desc' },
    take: limit,
  });
  return withNextAttempts(database, merchantId, deliveries);
}

/** A delivery with its event and all its attempts, or undefined. */
export async function findDelivery(database: Database, merchantId: string, id: string) {
  const found = await database.delivery.findUnique({
    where: { id_merchantId: { id, merchantId } },
    omit: { eventCreatedAt: true, leasedUntil: true, retryAt: true },
    include: { attempts: { orderBy: { number: 'asc' } } },
  });
  if (!found) return undefined;
  const { attempts, ...stored } = found;
  const [delivery] = await withNextAttempts(database, merchantId, [stored]);
  if (!delivery) return undefined;
  const event = await database.event.findFirst({ where: { merchantId, id: delivery.eventId } });
  return { ...delivery, event, attempts };
}

const listNextAttemptsSql = statement<
  { id: string; at: Date | null },
  [merchantId: string, deliveryIds: string]
>({
  name: 'list the next attempts of deliveries',
  parameters: ['text', 'uuid[]'],
  columns: { id: 'text', at: 'timestamp with time zone' },
  text: `
    SELECT d.id::text, CASE
        WHEN d.state = 'pending' AND p.sendable
        THEN greatest(now(), least(d.retry_at, greatest(d.next_attempt_at, p.send_after, now()))) END AS at
    FROM deliveries d JOIN endpoints p ON p.merchant_id = d.merchant_id AND p.id = d.endpoint_id
    WHERE d.merchant_id = $1 AND d.id = ANY($2::uuid[])`,
});

/** Replaces the stored `next_attempt_at` by the time at which each delivery is sent next. */
export async function withNextAttempts<Delivery extends { id: string }>(
  database: Queryable,
  merchantId: string,
  deliveries: Delivery[],
): Promise<(Delivery & { nextAttemptAt: Date | null })[]> {
  const rows = await run(database, listNextAttemptsSql, [
    merchantId,
    textArray(deliveries.map(({ id }) => id)),
  ]);
  const times = new Map(rows.map(({ id, at }) => [id, at]));
  return deliveries.map((delivery) => ({ ...delivery, nextAttemptAt: times.get(delivery.id) ?? null }));
}
