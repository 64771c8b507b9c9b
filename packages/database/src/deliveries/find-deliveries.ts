import type { Database, Queryable } from '../client/client.ts';
import { nextAttemptAt } from './next-attempt.ts';

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
    where: { id, merchantId },
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

/** Replaces the stored `next_attempt_at` by the time at which each delivery is sent next. */
export async function withNextAttempts<Delivery extends { id: string }>(
  database: Queryable,
  merchantId: string,
  deliveries: Delivery[],
): Promise<(Delivery & { nextAttemptAt: Date | null })[]> {
  const rows = await database.query<{ id: string; at: Date | null }>(
    `SELECT d.id::text, ${nextAttemptAt} AS at FROM deliveries d
     JOIN endpoints p ON p.id = d.endpoint_id AND p.merchant_id = d.merchant_id
     WHERE d.merchant_id = $1 AND d.id = ANY($2::uuid[])`,
    [merchantId, deliveries.map(({ id }) => id)],
  );
  const times = new Map(rows.map(({ id, at }) => [id, at]));
  return deliveries.map((delivery) => ({ ...delivery, nextAttemptAt: times.get(delivery.id) ?? null }));
}
