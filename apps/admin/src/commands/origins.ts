import { describeFieldError } from '@rewardhook/contract';
import { insertVerifiedOrigin, listVerifiedOrigins } from '@rewardhook/database';
import { openWebhookClient, originProofPath, verifyOrigin } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';
import { readFlag, readOrigin, requireMerchant } from '../option-values.ts';

export const originVerify = command({
  description:
    `Verify that a merchant controls an origin, so that its landing URL may lead there. The origin must serve ` +
    `${originProofPath} with the merchant id on a line.`,
  audit: 'origin.verified',
  required: { merchant: 'merchant id', origin: 'origin such as https://shop.example.com' },
  optional: { 'without-proof': 'true records the origin without fetching the file (default false)' },
  async run(options, { database, allowLoopbackHttp }) {
    const { merchant } = options;
    await requireMerchant(database, merchant);
    const origin = readOrigin(options.origin, { allowLoopbackHttp });
    const withoutProof = readFlag('--without-proof', options.withoutProof);
    if (!withoutProof) await requireProof(origin, merchant, allowLoopbackHttp);
    await insertVerifiedOrigin(database, merchant, { origin, proof: withoutProof ? 'operator' : 'file' });
    return { document: { origins: await listVerifiedOrigins(database, merchant) } };
  },
});

export const originList = command({
  description: "List a merchant's verified origins.",
  audit: null,
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    await requireMerchant(database, merchant);
    return { document: { origins: await listVerifiedOrigins(database, merchant) } };
  },
});

async function requireProof(origin: string, merchantId: string, allowLoopbackHttp: boolean): Promise<void> {
  const client = openWebhookClient({ allowLoopbackHttp });
  try {
    const proof = await verifyOrigin(client, origin, merchantId);
    if (!proof.ok) throw new UsageError(`${origin} ${describeFieldError(proof.error)}.`);
  } finally {
    await client.close();
  }
}
