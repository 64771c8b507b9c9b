import { audit } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';
import { initialHealth } from './endpoint-health.ts';
import { changeEndpoint } from './endpoints.ts';

/**
 * Pauses an endpoint at the merchant's request: its deliveries are held, also those that become due later. False when
 * the merchant has no such endpoint or it is paused already.
 */
export function pauseEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const paused = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null, pausedAt: null },
      data: { pausedAt: await readTime(tx) },
    });
    if (paused.count === 0) return false;
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: 'pending' },
      data: { state: 'held', nextAttemptAt: null, leasedUntil: null, retryAt: null },
    });
    await audit(tx);
    return true;
  });
}

/**
 * Ends a pause and resets the health of the endpoint. Its held deliveries become due, unless the endpoint is disabled too.
 * False when the merchant has no such endpoint or it is not paused.
 */
export function resumeEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const [resumed] = await tx.endpoint.updateManyAndReturn({
      where: { merchantId, id, deletedAt: null, pausedAt: { not: null } },
      data: { pausedAt: null, ...initialHealth },
      select: { holdsDeliveries: true },
    });
    if (!resumed) return false;
    if (!resumed.holdsDeliveries) await restartHeldDeliveries(tx, merchantId, id);
    await audit(tx);
    return true;
  });
}

/**
 * Enables a disabled endpoint and resets its health. Its held deliveries become due, unless it is paused too. False when
 * the merchant has no such endpoint or it is not disabled.
 */
export function enableEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const [enabled] = await tx.endpoint.updateManyAndReturn({
      where: { merchantId, id, deletedAt: null, disabledAt: { not: null } },
      data: { disabledAt: null, ...initialHealth },
      select: { holdsDeliveries: true },
    });
    if (!enabled) return false;
    await tx.$executeRaw`UPDATE endpoints SET disabled_reason = NULL WHERE merchant_id = ${merchantId} AND id = ${id}`;
    if (!enabled.holdsDeliveries) await restartHeldDeliveries(tx, merchantId, id);
    await audit(tx);
    return true;
  });
}

/**
 * Sets the name of an endpoint and over how many hours (1 to 720) its deliveries are retried; null removes the name, and follows the
 * schedule of 75 h. False when the merchant has no such endpoint.
 */
export function setEndpoint(
  database: Database,
  merchantId: string,
  id: string,
  settings: { name?: string | null; retryHours?: number | null },
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    const updated = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null },
      data: settings,
    });
    if (updated.count === 0) return false;
    await audit(tx, { subjectId: id, details: settings });
    return true;
  });
}

/** Makes held deliveries due, from the start of the schedule. */
async function restartHeldDeliveries(tx: Transaction, merchantId: string, endpointId: string): Promise<void> {
  await tx.delivery.updateMany({
    where: { merchantId, endpointId, state: 'held' },
    data: { state: 'pending', scheduleStep: 0, nextAttemptAt: await readTime(tx), leasedUntil: null },
  });
}
