import { describeFieldError } from '@rewardhook/contract';
import {
  findIdentitySecret,
  identitySecretContext,
  insertVerifiedOrigin,
  listVerifiedOrigins,
  updateLinkingSettings,
} from '@rewardhook/database';
import { openWebhookClient, originProofPath, verifyOrigin } from '@rewardhook/webhook';
import { command, UsageError } from '../command.ts';
import {
  readAllowedOrigins,
  readAttributionDays,
  readFlag,
  readLandingUrl,
  readOrigin,
} from '../read-linking.ts';
import { requireMerchant } from '../require-merchant.ts';

export const merchantShow = command({
  does: 'Show a merchant: name, time zone, and how its members are linked.',
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    return { document: { merchant: await requireMerchant(database, merchant) } };
  },
});

export const merchantUpdate = command({
  does: "Change how a merchant's members are linked. What is not named stays as it is.",
  required: { merchant: 'merchant id' },
  optional: {
    'landing-url':
      "https URL that share links lead to; its origin is recorded as verified; '' for no share links",
    'allowed-origins': "comma-separated origins that browsers may call boot from; '' for all",
    'require-user-hash': 'true or false: whether boot works only with a right user_hash',
    'attribution-days': 'most days from a click on a share link to the boot that links, 1 to 365',
  },
  async run(options, { database, allowLoopbackHttp }) {
    const {
      merchant,
      'landing-url': landing,
      'allowed-origins': origins,
      'require-user-hash': requireHash,
      'attribution-days': days,
    } = options;
    const changes = {
      ...(landing !== undefined && { landingUrl: readLandingUrl(landing, { allowLoopbackHttp }) }),
      ...(origins !== undefined && { allowedOrigins: readAllowedOrigins(origins, { allowLoopbackHttp }) }),
      ...(requireHash !== undefined && { requireUserHash: readFlag('--require-user-hash', requireHash) }),
      ...(days !== undefined && { attributionDays: readAttributionDays(days) }),
    };
    if (Object.keys(changes).length === 0) throw new UsageError('Name something to change.');
    if (!(await updateLinkingSettings(database, merchant, changes)))
      throw new UsageError(`There is no merchant ${merchant}.`);
    if (changes.landingUrl) {
      const { origin } = new URL(changes.landingUrl);
      await insertVerifiedOrigin(database, merchant, { origin, proof: 'operator' });
    }
    return { document: { merchant: await requireMerchant(database, merchant) } };
  },
});

export const originVerify = command({
  does: `Verify that a merchant controls an origin, so that its landing URL may lead there: the origin serves ${originProofPath} with the merchant id on a line.`,
  required: { merchant: 'merchant id', origin: 'origin such as https://shop.example.com' },
  optional: { 'without-proof': 'true records the origin without fetching the file (default false)' },
  async run(options, { database, allowLoopbackHttp }) {
    const { merchant, 'without-proof': withoutProof } = options;
    await requireMerchant(database, merchant);
    const origin = readOrigin(options.origin, { allowLoopbackHttp });
    const vouched = withoutProof !== undefined && readFlag('--without-proof', withoutProof);
    if (!vouched) await requireProof(origin, merchant, allowLoopbackHttp);
    await insertVerifiedOrigin(database, merchant, { origin, proof: vouched ? 'operator' : 'file' });
    return { document: { origins: await listVerifiedOrigins(database, merchant) } };
  },
});

export const originList = command({
  does: "List a merchant's verified origins.",
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

export const merchantIdentitySecret = command({
  does: 'Show the secret that user_hash is made with. It belongs on the merchant’s server, never in a page.',
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database, sealer }) {
    const sealed = await findIdentitySecret(database, merchant);
    if (sealed === undefined) throw new UsageError(`There is no merchant ${merchant}.`);
    return {
      document: {
        merchantId: merchant,
        identitySecret: sealer.open(sealed, identitySecretContext(merchant)),
      },
    };
  },
});
