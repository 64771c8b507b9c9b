import type { Queryable } from '../client/client.ts';
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
  database: Queryable,
  sealer: Sealer,
  merchantId: string,
  endpointId: string,
): Promise<SignedEndpoint | undefined> {
  const [endpoint] = await database.query<Omit<SignedEndpoint, 'signingKeys'>>(
    `SELECT url, first_success_at IS NOT NULL AS proven, rules.live_merchant(merchant_id) AS "liveMerchantId"
     FROM endpoints WHERE merchant_id = $1 AND id = $2 AND deleted_at IS NULL`,
    [merchantId, endpointId],
  );
  if (!endpoint) return undefined;
  return { ...endpoint, signingKeys: await listOpenedKeys(database, sealer, merchantId) };
}
