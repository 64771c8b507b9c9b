import { webhookHost } from '@rewardhook/contract';
import type { PrismaTransaction } from '../client/client.ts';
import { LimitReached } from '../merchants/account-limits.ts';

/** How many webhooks there may be; deleted ones do not count. */
export interface EndpointLimits {
  /** Of one merchant. */
  perMerchant: number;
  /** Of one merchant on one host. */
  perHost: number;
  /** Of all merchants together at one URL, while that has never answered any of them with 2xx. */
  newPerUrl: number;
}

/**
 * Checks that a merchant may have a webhook at this URL: a new one, or the one with the id `moved`. The merchant must be
 * locked. @throws LimitReached
 */
export async function requireRoom(
  tx: PrismaTransaction,
  { merchantId, url, moved }: { merchantId: string; url: string; moved?: string },
  limits: EndpointLimits,
): Promise<void> {
  const own = await tx.endpoint.findMany({ where: { merchantId, deletedAt: null } });
  const others = own.filter(({ id }) => id !== moved);
  if (moved === undefined && others.length >= limits.perMerchant)
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

  // Merchants that come to one URL at the same moment see each other.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('rewardhook webhook ' || ${url}))`;
  const everywhere = await tx.endpoint.findMany({
    where: { url, deletedAt: null },
    select: { id: true, firstSuccessAt: true },
  });
  const known = everywhere.some(({ firstSuccessAt }) => firstSuccessAt !== null);
  if (!known && everywhere.length >= limits.newPerUrl)
    throw new LimitReached(
      { code: 'webhooks_at_new_url', parameters: { limit: everywhere.length } },
      { field: 'url' },
    );
}
