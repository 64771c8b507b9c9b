import { newId, randomBase62 } from '@rewardhook/contract';
import { defaultRule } from '@rewardhook/rewards';
import type { NewMerchant } from './merchants.ts';
import { newApiKey } from './new-api-key.ts';
import { identitySecretContext, signingKeyContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';

/** What a new merchant is made of; `createdBy` is the id of a user, or `operator`. */
export interface NewMerchantDetails {
  name: string;
  timezone: string;
  signingSecret: string;
  createdBy: string;
}

/**
 * A new merchant with a secret and a public key, a signing key, an identity secret and the default program: the row to
 * insert, and the keys to be shown once.
 */
export function newMerchant(
  { name, timezone, signingSecret, createdBy }: NewMerchantDetails,
  sealer: Sealer,
): { row: NewMerchant; secretKey: string; publicKey: string } {
  const id = newId('mer');
  const signingKeyId = newId('sgk');
  const secretKey = newApiKey(id, 'secret', 'first secret key', createdBy);
  const publicKey = newApiKey(id, 'public', 'first public key', createdBy);
  return {
    row: {
      id,
      name,
      timezone,
      sealedIdentitySecret: sealer.seal(`ids_${randomBase62(43)}`, identitySecretContext(id)),
      keys: [secretKey.row, publicKey.row],
      signingKey: {
        id: signingKeyId,
        sealedSecret: sealer.seal(signingSecret, signingKeyContext(id, signingKeyId)),
      },
      program: { id: newId('prg'), rule: defaultRule },
    },
    secretKey: secretKey.key,
    publicKey: publicKey.key,
  };
}
