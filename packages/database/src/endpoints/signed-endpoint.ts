import type { Database } from '../client/client.ts';
import type { Sealer } from '../merchants/sealer.ts';
import { listOpenedKeys, type OpenedSigningKey } from './test-events.ts';

/** The URL of an endpoint, and the keys that sign its deliveries, newest first. */
export interface SignedEndpoint {
  url: string;
  signingKeys: OpenedSigningKey[];
}

/** Finds an endpoint of the merchant with the merchant's keys that have not expired; undefined when there is none. */
export async function findSignedEndpoint(
  database: Database,
  sealer: Sealer,
  merchantId: string,
  endpointId: string,
): Promise<SignedEndpoint | undefined> {
  const endpoint = await database.endpoint.findFirst({
    where: { merchantId, id: endpointId, deletedAt: null },
    select: { url: true },
  });
  if (!endpoint) return undefined;
  return { url: endpoint.url, signingKeys: await listOpenedKeys(database, sealer, merchantId) };
}
