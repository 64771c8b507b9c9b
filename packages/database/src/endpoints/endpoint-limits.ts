import { webhookHost } from '@rewardhook/contract';
import type { Transaction } from '../client/client.ts';
import { LimitReached } from '../merchants/account-limits.ts';

/** How many endpoints there may be; deleted ones do not count. */
export interface EndpointLimits {
  /** Of one merchant. */
  perMerchant: number;
  /** Of one merchant on one host. */
  perHost: number;
  /** Of all merchants together at one URL, while that has never answered any of them with 2xx. */
  newPerUrl: number;
}

/**
 * Checks that a merchant may have an endpoint at this URL: a new one, or the one with the id `movedId`. The merchant
 * must be locked. @throws LimitReached
 */
export async function requireEndpointLimits(
  tx: Transaction,
  { merchantId, url, movedId }: { merchantId: string; url: string; movedId?: string },
  limits: EndpointLimits,
): Promise<void> {
  const own = await tx.endpoint.findMany({
    where: { merchantId, deletedAt: null },
    select: { id: true, url: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const others = own.filter(({ id }) => id !== movedId);
  if (movedId === undefined && others.length >= limits.perMerchant)
    throw new LimitReached({ code: 'webhooks', parameters: { limit: limits.perMerchant } });
  const same = others.find((endpoint) => endpoint.url === url);
  if (same)
    throw new LimitReached(
      { code: 'webhook_url_taken', parameters: { webhook_id: same.id } },
      { field: 'url' },
    );
  const host = webhookHost(url);
  if (others.filter((endpoint) => webhookHost(endpoint.url) === host).length >= limits.perHost)
    throw new LimitReached(
      { code: 'webhooks_per_host', parameters: { host, limit: limits.perHost } },
      { field: 'url' },
    );

  // Serializes merchants that register the same URL at once.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('rewardhook webhook ' || ${url}))`;
  const everywhere = await tx.endpoint.aggregate({
    where: { url, deletedAt: null },
    _count: { _all: true, firstSuccessAt: true },
  });
  const { _all: count, firstSuccessAt: proven } = everywhere._count;
  if (proven === 0 && count >= limits.newPerUrl)
    throw new LimitReached({ code: 'webhooks_at_new_url', parameters: { limit: count } }, { field: 'url' });
}
