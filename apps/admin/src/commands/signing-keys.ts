import { newId } from '@rewardhook/contract';
import {
  deleteSigningKeys,
  listSigningKeys,
  rotateSigningKey,
  signingKeyContext,
} from '@rewardhook/database';
import { generateSigningSecret } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';
import { requireMerchant } from '../require-merchant.ts';

export const signingKeyShow = command({
  does: "Show a merchant's signing keys, newest first.",
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database, sealer }) {
    await requireMerchant(database, merchant);
    const keys = await listSigningKeys(database, merchant);
    return {
      document: {
        signingKeys: keys.map(({ secret, ...key }) => ({
          ...key,
          signingSecret: sealer.open(secret, signingKeyContext(merchant, key.id)),
        })),
      },
    };
  },
});

export const signingKeyRotate = command({
  does: 'Issue a new signing key. Both sign in webhook-signature during the overlap; then the new one alone, and X-Service-Signature changes to it.',
  required: { merchant: 'merchant id' },
  optional: { 'overlap-hours': '0 to 168 (default 24); 0 changes at once' },
  async run({ merchant, 'overlap-hours': overlap = '24' }, { database, sealer }) {
    const hours = Number(overlap);
    if (!(hours >= 0 && hours <= 168)) throw new UsageError('--overlap-hours is a number from 0 to 168.');
    await requireMerchant(database, merchant);
    const live = await listSigningKeys(database, merchant);
    const promotedAt = new Date(Date.now() + (live.length > 0 ? hours * 3_600_000 : 0));
    const signingSecret = generateSigningSecret();
    const id = newId('sgk');
    await rotateSigningKey(database, {
      id,
      merchantId: merchant,
      sealedSecret: sealer.seal(signingSecret, signingKeyContext(merchant, id)),
      promotedAt,
    });
    return { document: { signingKeyId: id, signingSecret, promotedAt } };
  },
});

export const signingKeyDelete = command({
  does: 'Delete all signing keys: webhooks are then sent without a signature.',
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    return { document: { deleted: await deleteSigningKeys(database, merchant) } };
  },
});
