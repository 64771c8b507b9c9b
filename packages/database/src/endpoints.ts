import type { Database } from './client.ts';

export interface NewEndpoint {
  id: string;
  merchantId: string;
  url: string;
  eventTypes: string[];
}

/** Registers a webhook URL. */
export async function insertEndpoint(database: Database, endpoint: NewEndpoint): Promise<void> {
  await database.endpoint.create({ data: endpoint });
}

/** A merchant's webhooks, oldest first. */
export function listEndpoints(database: Database, merchantId: string) {
  return database.endpoint.findMany({
    where: { merchantId, deletedAt: null },
    omit: { merchantId: true, deletedAt: true },
    orderBy: { createdAt: 'asc' },
  });
}

/** Deletes a webhook: what was still to be sent to it is cancelled. False when there is no such webhook. */
export async function deleteEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const { count } = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null },
      data: { deletedAt: new Date() },
    });
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: { in: ['pending', 'held'] } },
      data: { state: 'cancelled', nextAttemptAt: null, finishedAt: new Date() },
    });
    return count === 1;
  });
}

/** Stops sending to an endpoint. What is due to it is held, not lost. */
export async function disableEndpoint(
  database: Database,
  merchantId: string,
  id: string,
  reason: string,
): Promise<void> {
  await database.$transaction([
    database.endpoint.updateMany({
      where: { merchantId, id, disabledAt: null },
      data: { disabledAt: new Date(), disabledReason: reason },
    }),
    database.delivery.updateMany({
      where: { merchantId, endpointId: id, state: 'pending' },
      data: { state: 'held', nextAttemptAt: null },
    }),
  ]);
}

/** Sends to an endpoint again, from a clean slate; what was held becomes due. False when it was not disabled. */
export async function enableEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const { count } = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null, disabledAt: { not: null } },
      data: { disabledAt: null, disabledReason: null, sendAfter: null },
    });
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: 'held' },
      data: { state: 'pending', scheduleStep: 0, nextAttemptAt: new Date() },
    });
    return count === 1;
  });
}

/** Sends nothing to an endpoint for so many seconds: its receiver asked so. A later end stays. */
export async function pauseEndpoint(
  database: Database,
  merchantId: string,
  id: string,
  seconds: number,
): Promise<void> {
  await database.$executeRaw`
    UPDATE endpoints SET send_after = greatest(send_after, now() + make_interval(secs => ${seconds}::double precision))
    WHERE merchant_id = ${merchantId} AND id = ${id}`;
}
