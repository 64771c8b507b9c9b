import type { Database } from './client.ts';

/**
 * Pauses an endpoint at the merchant's wish: what is due to it, and what falls due, is held. False when there is no
 * such endpoint or it is paused already.
 */
export async function pauseSending(database: Database, merchantId: string, id: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const { count } = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null, pausedAt: null },
      data: { pausedAt: new Date() },
    });
    if (count === 0) return false;
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: 'pending' },
      data: { state: 'held', nextAttemptAt: null },
    });
    return true;
  });
}

/**
 * Ends a pause, from a clean slate: what was held becomes due, unless the endpoint is disabled besides. False when
 * there is no such endpoint or it is not paused.
 */
export async function resumeSending(database: Database, merchantId: string, id: string): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const [endpoint] = await tx.endpoint.updateManyAndReturn({
      where: { merchantId, id, deletedAt: null, pausedAt: { not: null } },
      data: {
        pausedAt: null,
        sendAfter: null,
        failuresInARow: 0,
        failingSince: null,
        lastFailedAt: null,
        breakerOpenedAt: null,
        probesFailed: 0,
        drainPerSecond: null,
        warnedAt: null,
      },
      select: { disabledAt: true },
    });
    if (!endpoint) return false;
    if (endpoint.disabledAt !== null) return true;
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: 'held' },
      data: { state: 'pending', scheduleStep: 0, nextAttemptAt: new Date() },
    });
    return true;
  });
}

/**
 * Sets over how many hours (1 to 720) deliveries to an endpoint are retried; null follows the schedule of 75 h. False
 * when there is no such endpoint.
 */
export async function setRetryHours(
  database: Database,
  merchantId: string,
  id: string,
  retryHours: number | null,
): Promise<boolean> {
  const { count } = await database.endpoint.updateMany({
    where: { merchantId, id, deletedAt: null },
    data: { retryHours },
  });
  return count === 1;
}
