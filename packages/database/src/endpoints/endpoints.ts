import { redactUrl } from '@rewardhook/contract';
import { audit, changesOf } from '../audit/audited.ts';
import type { Database, Transaction } from '../client/client.ts';
import { readTime } from '../client/database-clock.ts';
import { retryConflicts } from '../client/database-errors.ts';
import { mergeChanges } from '../client/edit-conflict.ts';
import { lockMerchant } from '../merchants/merchants.ts';
import { initialHealth } from './endpoint-health.ts';
import { requireEndpointLimits } from './endpoint-limits.ts';
import type { EndpointLimits } from './endpoint-limits.ts';

export interface NewEndpoint {
  id: string;
  merchantId: string;
  name?: string | null;
  url: string;
  eventTypes: string[];
}

/**
 * Registers an endpoint within the limits, also of concurrent registrations. The URL must be normalized by `new URL`,
 * because URLs are compared as text. @throws LimitReached
 */
export async function registerEndpoint(
  database: Database,
  endpoint: NewEndpoint,
  limits: EndpointLimits,
): Promise<void> {
  const { merchantId, url } = endpoint;
  await database.$transaction(async (tx) => {
    await lockMerchant(tx, merchantId);
    await requireEndpointLimits(tx, { merchantId, url }, limits);
    await insertEndpointRow(tx, endpoint);
  });
}

/** Registers an endpoint without limits. */
export async function insertEndpoint(database: Database, endpoint: NewEndpoint): Promise<void> {
  await database.$transaction(async (tx) => {
    await lockMerchant(tx, endpoint.merchantId);
    await insertEndpointRow(tx, endpoint);
  });
}

/** The merchant must be locked: a pause of the operator at the same time covers the endpoint too. */

async function insertEndpointRow(tx: Transaction, endpoint: NewEndpoint): Promise<void> {
  const { id, merchantId, name = null, url, eventTypes } = endpoint;
  await tx.endpoint.create({ data: endpoint, select: { id: true } });
  await tx.$executeRaw`
    UPDATE endpoints SET operator_paused_at = m.delivery_paused_at FROM merchants m
    WHERE endpoints.merchant_id = ${merchantId} AND endpoints.id = ${id} AND m.id = rules.live_merchant(${merchantId})
      AND m.delivery_paused_at IS NOT NULL`;
  // The path of a webhook may be a secret, so the audit records the host only.
  await audit(tx, { subjectId: id, details: { host: redactUrl(url).host, name, eventTypes } });
}

/** A merchant's endpoints, oldest first. */
export function listEndpoints(database: Database, merchantId: string) {
  return database.endpoint.findMany({
    where: { merchantId, deletedAt: null },
    omit: { merchantId: true, deletedAt: true },
    orderBy: { createdAt: 'asc' },
  });
}

/** The fields of an endpoint that its merchant can change. */
export interface EndpointChanges {
  /** What its merchant calls it; null removes the name. */
  name?: string | null;
  url?: string;
  eventTypes?: string[];
  /** Over how many hours (1 to 720) deliveries are retried; null follows the schedule of 75 h. */
  retryHours?: number | null;
}

/**
 * Changes the given fields of an endpoint; {@link mergeChanges} detects conflicts with `base`. A changed URL counts as a
 * new endpoint: its health is reset, and deliveries are sent there at a low rate until the first success. False when the
 * merchant has no such endpoint. @throws EditConflict, LimitReached
 */
export function updateEndpoint(
  database: Database,
  merchantId: string,
  id: string,
  changes: EndpointChanges,
  { limits, base }: { limits: EndpointLimits; base?: EndpointChanges | undefined },
): Promise<boolean> {
  return database.$transaction(async (tx) => {
    if (changes.url !== undefined) await lockMerchant(tx, merchantId);
    await tx.$executeRaw`SELECT 1 FROM endpoints WHERE merchant_id = ${merchantId} AND id = ${id} FOR NO KEY UPDATE`;
    const stored = await tx.endpoint.findUnique({
      where: { merchantId_id: { merchantId, id }, deletedAt: null },
      select: { name: true, url: true, eventTypes: true, retryHours: true },
    });
    if (!stored) return false;
    const merged = { ...stored, ...mergeChanges(stored, changes, base) };
    // A URL that was stored before URLs were normalized by `new URL` is the same URL.
    const moves = merged.url !== new URL(stored.url).href && merged.url !== stored.url;
    if (moves) await requireEndpointLimits(tx, { merchantId, url: merged.url, movedId: id }, limits);
    const { url: _url, ...others } = stored;
    await audit(tx, {
      subjectId: id,
      details: {
        changes: changesOf(
          { host: redactUrl(stored.url).host, ...others },
          {
            host: redactUrl(merged.url).host,
            name: merged.name,
            eventTypes: merged.eventTypes,
            retryHours: merged.retryHours,
          },
        ),
        changed: moves ? ['url'] : [],
      },
    });
    const url = moves ? merged.url : stored.url;
    const asNew = moves ? { firstSuccessAt: null, ...initialHealth } : {};
    await tx.endpoint.updateMany({ where: { id }, data: { ...merged, url, ...asNew } });
    return true;
  });
}

/** Counts the deliveries to an endpoint that are still to be sent. */
export function countUnsentDeliveries(database: Database, merchantId: string, id: string): Promise<number> {
  return database.delivery.count({
    where: { merchantId, endpointId: id, state: { in: ['pending', 'held'] } },
  });
}

/** Deletes an endpoint and cancels its deliveries that are not final. False when the merchant has no such endpoint. */
export function deleteEndpoint(database: Database, merchantId: string, id: string): Promise<boolean> {
  return changeEndpoint(database, async (tx) => {
    const now = await readTime(tx);
    const deleted = await tx.endpoint.updateMany({
      where: { merchantId, id, deletedAt: null },
      data: { deletedAt: now },
    });
    if (deleted.count === 0) return false;
    await tx.delivery.updateMany({
      where: { merchantId, endpointId: id, state: { in: ['pending', 'held'] } },
      data: { state: 'cancelled', nextAttemptAt: null, leasedUntil: null, finishedAt: now },
    });
    await audit(tx);
    return true;
  });
}

/**
 * Changes an endpoint together with its deliveries. Attempts that are being recorded lock these in another order: after
 * a deadlock the change is made again.
 */
export function changeEndpoint<T>(database: Database, change: (tx: Transaction) => Promise<T>): Promise<T> {
  return retryConflicts(() => database.$transaction(change));
}
