import { eventTypes, newId } from '@rewardhook/contract';
import { insertEndpoint, insertMerchant, newMerchant } from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import type { Terms } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';

/** A merchant of a measurement. */
export interface Merchant {
  merchantId: string;
  secretKey: string;
  signingSecret: string;
}

/** The default terms, under which orders from before their link earn a reward: those of the benchmark have a fixed date. */
const benchTerms: Terms = parseTerms({ earlierOrders: 'count' });

/** Creates a merchant as `npm run admin -- merchant create` does, without a process for each of them. */
export async function createMerchant(
  database: Database,
  sealer: Sealer,
  name: string,
  terms: Terms = benchTerms,
): Promise<Merchant> {
  const signingSecret = generateSigningSecret();
  const details = { name, timezone: 'Asia/Seoul', signingSecret, createdBy: 'operator', terms };
  const { row, secretKey } = newMerchant(details, sealer);
  await insertMerchant(database, row);
  return { merchantId: row.id, secretKey, signingSecret };
}

/** Registers a webhook URL for all events. */
export async function addWebhook(database: Database, merchantId: string, url: string): Promise<void> {
  await insertEndpoint(database, { id: newId('whk'), merchantId, url, eventTypes: [...eventTypes] });
}
