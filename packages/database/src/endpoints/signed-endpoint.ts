import type { Database } from '../client/client.ts';
import type { Sealer } from '../merchants/sealer.ts';
import { listOpenedKeys, type OpenedSigningKey } from './test-events.ts';

/** An endpoint, and the keys that sign its deliveries, newest first. */
export interface SignedEndpoint {
  url: string;
  /** Whether this URL has answered 2xx before. */
  proven: boolean;
  /** The merchant, or for a test side its live merchant. */
  liveMerchantId: string;
  signingKeys: OpenedSigningKey[];
}

/** Finds an endpoint of the merchant with the merchant's keys that have not expired; undefined when there is none. */
export async function findSignedEndpoint(
  database: Database,
  sealer: Sealer,
  merchantId: string,
  endpointId: string,
): Promise<SignedEndpoint | undefined> {
  const endpoint = await database.endpoint.findUnique({
    where: { merchantId_id: { merchantId, id: endpointId }, deletedAt: null },
    select: { url: true, firstSuccessAt: true, merchant: { select: { liveMerchantId: true } } },
  });
  if (!endpoint) return undefined;
  const { url, firstSuccessAt, merchant } = endpoint;
  return {
    url,
    proven: firstSuccessAt !== null,
    liveMerchantId: merchant.liveMerchantId ?? merchantId,
    signingKeys: await listOpenedKeys(database, sealer, merchantId),
  };
}
