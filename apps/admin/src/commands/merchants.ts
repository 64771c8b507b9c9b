import { identitySecretContext, insertMerchant, newMerchant, UnknownTimeZone } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';

export const merchantCreate = command({
  does: 'Create a merchant with its first keys, signing key and default program. The secrets are shown this once.',
  required: { name: 'name of the shop' },
  optional: { timezone: 'IANA zone for date-times without an offset (default Asia/Seoul)' },
  async run({ name, timezone = 'Asia/Seoul' }, { database, sealer }) {
    const signingSecret = generateSigningSecret();
    const { row, secretKey, publicKey } = newMerchant(
      { name, timezone, signingSecret, createdBy: 'operator', rule: defaultRule },
      sealer,
    );
    await insertMerchant(database, row).catch((error: unknown) => {
      if (!(error instanceof UnknownTimeZone)) throw error;
      throw new UsageError(`--timezone: "${timezone}" is not a time zone, use a name such as Asia/Seoul.`);
    });
    const identitySecret = sealer.open(row.sealedIdentitySecret, identitySecretContext(row.id));
    return { document: { merchantId: row.id, secretKey, publicKey, signingSecret, identitySecret } };
  },
});
