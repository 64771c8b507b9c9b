import {
  describeApiKey,
  eventTypes,
  generateApiKey,
  hashApiKey,
  newId,
  randomBase62,
} from '@rewardhook/contract';
import {
  identitySecretContext,
  insertEndpoint,
  insertMerchant,
  signingKeyContext,
} from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';

/** A merchant made for a measurement. */
export interface Merchant {
  merchantId: string;
  secretKey: string;
  signingSecret: string;
}

/** Makes a merchant as `npm run admin -- merchant create` does, with the default program. */
export async function openMerchant(database: Database, sealer: Sealer, name: string): Promise<Merchant> {
  const merchantId = newId('mer');
  const signingKeyId = newId('sgk');
  const secretKey = generateApiKey('secret');
  const signingSecret = generateSigningSecret();
  await insertMerchant(database, {
    id: merchantId,
    name,
    timezone: 'Asia/Seoul',
    sealedIdentitySecret: sealer.seal(`ids_${randomBase62(43)}`, identitySecretContext(merchantId)),
    keys: [
      {
        id: newId('key'),
        merchantId,
        kind: 'secret',
        name: 'bench',
        sha256: hashApiKey(secretKey),
        ...describeApiKey(secretKey),
        publicValue: null,
        createdBy: 'operator',
      },
    ],
    signingKey: {
      id: signingKeyId,
      sealedSecret: sealer.seal(signingSecret, signingKeyContext(merchantId, signingKeyId)),
    },
    program: { id: newId('prg'), rule: defaultRule },
  });
  return { merchantId, secretKey, signingSecret };
}

/** Registers a webhook URL for all events. */
export async function addWebhook(database: Database, merchantId: string, url: string): Promise<void> {
  await insertEndpoint(database, { id: newId('whk'), merchantId, url, eventTypes: [...eventTypes] });
}
