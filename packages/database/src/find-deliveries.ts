import type { Database } from './client.ts';

export interface DeliveryFilter {
  state?: string;
  endpointId?: string;
  limit: number;
}

/** A merchant's deliveries, newest first. */
export function listDeliveries(database: Database, merchantId: string, filter: DeliveryFilter) {
  const { state, endpointId, limit } = filter;
  return database.delivery.findMany({
    where: { merchantId, ...(state ? { state } : {}), ...(endpointId ? { endpointId } : {}) },
    omit: { merchantId: true },
    orderBy: { createdAt: 'desc' },
    take: limit,
  });
}

/** A delivery with its event and every attempt. */
export async function findDelivery(database: Database, merchantId: string, id: string) {
  const delivery = await database.delivery.findFirst({ where: { merchantId, id } });
  if (!delivery) return undefined;
  const [event, attempts] = await Promise.all([
    database.event.findUnique({ where: { merchantId_id: { merchantId, id: delivery.eventId } } }),
    database.attempt.findMany({ where: { merchantId, deliveryId: id }, orderBy: { number: 'asc' } }),
  ]);
  return { ...delivery, event, attempts };
}
