import type { Database, PrismaTransaction } from '../client/client.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { requireRoom } from './endpoint-limits.ts';
import type { EndpointLimits } from './endpoint-limits.ts';
import { lockMerchant } from '../merchants/lock-merchant.ts';

export interface NewEndpoint {
  id: string;
  merchantId: string;
  url: string;
  eventTypes: string[];
}

/**
 * Registers a webhook URL within the limits, also of registrations at the same moment. The URL is in the form that
 * `new URL` gives it: that is what is compared. @throws LimitReached
 */
export async function registerEndpoint(
  database: Database,
  endpoint: NewEndpoint,
  limits: EndpointLimits,
): Promise<void> {
  await database.$transaction(async (tx) => {
    await lockMerchant(tx, endpoint.merchantId);
    const { merchantId, url } = endpoint;
    await requireRoom(tx, { merchantId, url }, limits);
    await tx.endpoint.create({ data: endpoint });
  });
}

/** Registers a webhook URL beyond all limits. */
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

/** A change of an endpoint with its deliveries, which attempts that are being recorded lock in another order. */
export function changeEndpoint<T>(
  database: Database,
  change: (tx: PrismaTransaction) => Promise<T>,
): Promise<T> {
  return retryConflicts(() => database.$transaction(change));
}

/** Deletes a webhook: what was still to be sent to it is cancelled. False when there is no such webhook. */
export async function deleteEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
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

/** Deliveries in the first second after the breaker closed. */
export const initialRampPerSecond = 10;

/** An endpoint as if it had never failed. */
export const initialHealth = {
  sendAfter: null,
  inFlightLimit: 4,
  failuresInARow: 0,
  failingSince: null,
  lastFailedAt: null,
  burstFailures: 0,
  burstSince: null,
  breakerOpenedAt: null,
  probesFailed: 0,
  rampPerSecond: null,
  warnedAt: null,
};

/**
 * Sends to an endpoint again, from a clean slate; what was held becomes due, unless it is paused besides. False when it was
 * not disabled.
 */
export async function enableEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const [endpoint] = await tx.endpoint.updateManyAndReturn({
      where: { merchantId, id, deletedAt: null, disabledAt: { not: null } },
      data: { disabledAt: null, disabledReason: null, ...initialHealth },
      select: { pausedAt: true },
    });
    if (endpoint?.pausedAt === null) await releaseHeldOf(tx, merchantId, id);
    return endpoint !== undefined;
  });
}

/** What was held for an endpoint becomes due, from the start of the schedule. */
export async function releaseHeldOf(
  tx: PrismaTransaction,
  merchantId: string,
  endpointId: string,
): Promise<void> {
  await tx.delivery.updateMany({
    where: { merchantId, endpointId, state: 'held' },
    data: { state: 'pending', scheduleStep: 0, nextAttemptAt: new Date() },
  });
}
