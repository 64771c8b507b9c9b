import { newId } from '@rewardhook/contract';
import {
  deleteSigningKeys,
  listEndpoints,
  listSigningKeys,
  rotateSigningKey,
  signingKeyContext,
} from '@rewardhook/database';
import { generateSigningSecret } from '@rewardhook/webhook';
import { command } from '../command.ts';
import { overlapHint, readOverlapSeconds, requireMerchant } from '../option-values.ts';

export const signingKeyShow = command({
  description: "Show a merchant's signing keys, newest first.",
  audit: 'signing_key.revealed',
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
  description:
    'Create a new signing key. During the overlap webhook-signature has a signature of each key and ' +
    'X-Service-Signature uses the old one; then both use the new key.',
  audit: 'signing_key.created',
  required: { merchant: 'merchant id' },
  optional: { 'overlap-hours': overlapHint },
  async run({ merchant, overlapHours }, { database, sealer }) {
    const overlapSeconds = readOverlapSeconds(overlapHours);
    await requireMerchant(database, merchant);
    const signingSecret = generateSigningSecret();
    const id = newId('sgk');
    const sealedSecret = sealer.seal(signingSecret, signingKeyContext(merchant, id));
    const key = { id, merchantId: merchant, sealedSecret };
    const promotedAt = await rotateSigningKey(database, key, overlapSeconds);
    return { document: { signingKeyId: id, signingSecret, promotedAt } };
  },
});

export const signingKeyDelete = command({
  description: 'Delete all signing keys. Webhooks are then sent without a signature.',
  audit: 'signing_key.deleted',
  required: { merchant: 'merchant id' },
  async preview({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    const [keys, endpoints] = await Promise.all([
      listSigningKeys(database, merchant),
      listEndpoints(database, merchant),
    ]);
    return {
      what: `Deletes all signing keys of ${merchant}. Its webhooks are then sent without a signature.`,
      counts: { signingKeys: keys.length, webhooks: endpoints.length },
    };
  },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    return { document: { deleted: await deleteSigningKeys(database, merchant) } };
  },
});
