import { newId, randomBase62 } from '@rewardhook/contract';
import type { ProgramRule } from '@rewardhook/rewards';
import { newApiKey } from './api-keys.ts';
import type { NewMerchant } from './merchants.ts';
import { identitySecretContext, signingKeyContext } from './sealer.ts';
import type { Sealer } from './sealer.ts';

export interface NewMerchantDetails {
  name: string;
  timezone: string;
  signingSecret: string;
  /** The id of a user, or `operator`. */
  createdBy: string;
  /** The rule of its program's first version. */
  rule: ProgramRule;
}

/**
 * Makes a new merchant with a secret and a public key, a signing key, an identity secret and a program: the row to
 * insert, and the keys, which are shown once.
 */
export function newMerchant(
  { name, timezone, signingSecret, createdBy, rule }: NewMerchantDetails,
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
      program: { id: newId('prg'), rule },
    },
    secretKey: secretKey.key,
    publicKey: publicKey.key,
  };
}
