import { newId, randomBase62 } from '@rewardhook/contract';
import { insertMerchant } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';
import { newApiKey } from '../new-api-key.ts';

export const merchantCreate = command({
  does: 'Create a merchant with its first keys, signing key and default program. The secrets are shown this once.',
  required: { name: 'name of the shop' },
  optional: { timezone: 'IANA zone for date-times without an offset (default Asia/Seoul)' },
  async run({ name, timezone = 'Asia/Seoul' }, { database, sealer }) {
    if (!isTimeZone(timezone))
      throw new UsageError(`"${timezone}" is not a time zone, use a name such as Asia/Seoul.`);
    const id = newId('mer');
    const secretKey = newApiKey(id, 'secret', 'first secret key');
    const publicKey = newApiKey(id, 'public', 'first public key');
    const signingSecret = generateSigningSecret();
    await insertMerchant(database, {
      id,
      name,
      timezone,
      sealedIdentitySecret: sealer.seal(`ids_${randomBase62(43)}`),
      keys: [secretKey.row, publicKey.row],
      signingKey: { id: newId('sgk'), sealedSecret: sealer.seal(signingSecret) },
      program: { id: newId('prg'), rule: defaultRule },
    });
    return {
      document: { merchantId: id, secretKey: secretKey.key, publicKey: publicKey.key, signingSecret },
    };
  },
});

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
