import { modeOf, requestLimits } from '@rewardhook/contract';
import {
  countData,
  findIdentitySecret,
  findMerchants,
  findPause,
  findTestSide,
  findWipe,
  identitySecretContext,
  insertInvitation,
  insertMerchant,
  insertVerifiedOrigin,
  listMerchants,
  LiveWipeRefused,
  newInvitation,
  newMerchant,
  normalizeEmail,
  noteAudit,
  replaceIdentitySecret,
  requestLiveWipe,
  requestWipe,
  teamRoles,
  UnknownTimeZone,
  updateLinkingSettings,
} from '@rewardhook/database';
import type { Database, TeamRole, WipeRefusal } from '@rewardhook/database';
import { defaultTerms } from '@rewardhook/rewards';
import { generateSigningSecret } from '@rewardhook/webhook';
import { command, CommandFailed, UsageError } from '../command.ts';
import {
  readAllowedOrigins,
  readAttributionDays,
  readFlag,
  readLandingUrl,
  readLimit,
  overlapHint,
  readMerchantLimit,
  readOverlapSeconds,
  readPositive,
  requireMerchant,
} from '../option-values.ts';

export const merchantCreate = command({
  description:
    'Create a merchant with its first keys, signing key and default program. The secrets are shown only once.',
  audit: 'merchant.created',
  required: { name: 'name of the merchant' },
  optional: { timezone: 'IANA time zone of date-times without an offset (default Asia/Seoul)' },
  async run({ name, timezone = 'Asia/Seoul' }, { database, sealer }) {
    const signingSecret = generateSigningSecret();
    const { row, secretKey, publicKey } = newMerchant(
      { name, timezone, signingSecret, createdBy: 'operator', terms: defaultTerms },
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

export const merchantList = command({
  description:
    'List the merchants with the addresses of their owners, newest first. The options find the one that somebody asks about.',
  audit: null,
  required: {},
  optional: {
    name: 'a part of the name',
    email: 'address of a user of the merchant',
    limit: 'maximum number, 1 to 1000 (default 50)',
  },
  async run({ name, email, limit = '50' }, { database }) {
    const search = { name, email: email === undefined ? undefined : normalizeEmail(email) };
    return { document: { merchants: await listMerchants(database, search, readLimit(limit)) } };
  },
});

export const merchantFind = command({
  description: 'Find the merchants of something that is known: exactly one of the options.',
  audit: null,
  required: {},
  optional: {
    email: 'address of a user, or the contact address',
    url: 'a part of the URL of a webhook, or of the landing URL',
    'key-ends': 'the last four characters of an API key',
    order: 'order id',
  },
  async run({ email, url, keyEnds, order: orderId }, { database }) {
    const given = [email, url, keyEnds, orderId].filter((value) => value !== undefined);
    if (given.length !== 1) throw new UsageError('Give one of --email, --url, --key-ends and --order.');
    const search = { email: email === undefined ? undefined : normalizeEmail(email), url, keyEnds, orderId };
    return { document: { merchants: await findMerchants(database, search) } };
  },
});

export const merchantShow = command({
  description:
    'Show a merchant: name, time zone, how its members are linked, and what the operator has paused.',
  audit: null,
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database }) {
    const row = await requireMerchant(database, merchant);
    const { requestedAt, wipedAt } = await findWipe(database, merchant);
    // The row of a test side has no pause: that of the live side covers it.
    const pause = await findPause(database, merchant);
    return {
      document: { merchant: { ...row, ...pause, wipeRequestedAt: requestedAt, wipedAt } },
    };
  },
});

/** So that a request of the maximum size can wait. */
const leastWaitingKib = requestLimits.bodyBytes / 1_024;

export const merchantUpdate = command({
  description:
    "Change how a merchant's members are linked, and its limits. Options that are left out change nothing.",
  audit: 'merchant.linking_changed',
  required: { merchant: 'merchant id' },
  optional: {
    'landing-url':
      "https URL that share links lead to; its origin is recorded as verified; '' for no share links",
    'allowed-origins': "comma-separated origins that browsers may call boot from; '' for all",
    'require-user-hash': 'true or false: whether boot requires a valid user_hash',
    'attribution-days': 'maximum days from a click on a share link to the boot that links, 1 to 365',
    'uses-feed':
      'true or false: whether the merchant reads its rewards from the feed, and needs no webhook while it does',
    'requests-per-second':
      'requests per second of all its secret keys together, 0 for no limit, or "setting" for the limit of each key',
    'manual-reward-limit':
      'the highest amount of a reward that a person gives or adjusts, on both sides, 1 or more; new merchants have 1000000',
    'waiting-kib': `KiB of its orders that may wait to be stored, ${leastWaitingKib} or more, 0 for no limit, or "setting"`,
  },
  async run(options, { database, allowLoopbackHttp }) {
    const { merchant, landingUrl, allowedOrigins, requireUserHash, attributionDays, usesFeed } = options;
    const { requestsPerSecond, waitingKib, manualRewardLimit } = options;
    if (manualRewardLimit !== undefined && modeOf(merchant) === 'test')
      throw new UsageError(
        'The limit of rewards by hand is that of both sides of a merchant: change it with the id of the live one.',
      );
    const limits = {
      ...(requestsPerSecond !== undefined && {
        requestsPerSecond: readMerchantLimit('--requests-per-second', requestsPerSecond, 1),
      }),
      ...(waitingKib !== undefined && {
        waitingKib: readMerchantLimit('--waiting-kib', waitingKib, leastWaitingKib),
      }),
      ...(manualRewardLimit !== undefined && {
        manualRewardLimit: readPositive('--manual-reward-limit', manualRewardLimit),
      }),
    };
    const linking = {
      ...(landingUrl !== undefined && { landingUrl: readLandingUrl(landingUrl, { allowLoopbackHttp }) }),
      ...(allowedOrigins !== undefined && {
        allowedOrigins: readAllowedOrigins(allowedOrigins, { allowLoopbackHttp }),
      }),
      ...(requireUserHash !== undefined && {
        requireUserHash: readFlag('--require-user-hash', requireUserHash),
      }),
      ...(attributionDays !== undefined && { attributionDays: readAttributionDays(attributionDays) }),
      ...(usesFeed !== undefined && { usesFeed: readFlag('--uses-feed', usesFeed) }),
    };
    const changes = { ...linking, ...limits };
    if (Object.keys(changes).length === 0) throw new UsageError('Give at least one option to change.');
    if (Object.keys(linking).length === 0) noteAudit({ action: 'merchant.limits_changed' });
    if (!(await updateLinkingSettings(database, merchant, changes)))
      throw new UsageError(`There is no merchant ${merchant}.`);
    if (linking.landingUrl) {
      const { origin } = new URL(linking.landingUrl);
      await insertVerifiedOrigin(database, merchant, { origin, proof: 'operator' });
    }
    return { document: { merchant: await requireMerchant(database, merchant) } };
  },
});

export const merchantIdentitySecret = command({
  description:
    "Show the secret that user_hash is computed with. Keep it on the merchant's server, never in a page.",
  audit: 'identity_secret.revealed',
  required: { merchant: 'merchant id' },
  async run({ merchant }, { database, sealer }) {
    const sealed = await findIdentitySecret(database, merchant);
    if (sealed === undefined) throw new UsageError(`There is no merchant ${merchant}.`);
    const identitySecret = sealer.open(sealed, identitySecretContext(merchant));
    return { document: { merchantId: merchant, identitySecret } };
  },
});

export const merchantReplaceIdentitySecret = command({
  description:
    'Replace the secret that user_hash is computed with. During the overlap boot accepts hashes of the former one too.',
  audit: 'identity_secret.replaced',
  required: { merchant: 'merchant id' },
  optional: { 'overlap-hours': overlapHint },
  async run({ merchant, overlapHours }, { database, sealer }) {
    const seconds = readOverlapSeconds(overlapHours);
    const replaced = await replaceIdentitySecret(database, sealer, merchant, seconds);
    if (!replaced) throw new UsageError(`There is no merchant ${merchant}.`);
    return { document: { merchantId: merchant, ...replaced } };
  },
});

export const merchantWipe = command({
  description:
    'Delete the members, referrals, orders, rewards, events and deliveries of the test side of a merchant. Keys, ' +
    'webhooks and the program stay. The test side gets a new id, which is shown. A process of housekeeping deletes ' +
    'the rows of the former id in the background; merchant show has wipeRequestedAt until it has ended.',
  audit: 'test_data.wiped',
  required: { merchant: 'merchant id, of either side' },
  async preview({ merchant }, { database }) {
    const id = await requireTestSide(database, merchant);
    return {
      what: `Deletes the data of the test side ${id}, and gives it a new id. Of each table at most 10,001 rows are counted.`,
      counts: await countData(database, id),
    };
  },
  async run({ merchant }, { database, sealer }) {
    const id = await requireTestSide(database, merchant);
    noteAudit({ merchantId: id });
    const newId = await requestWipe(database, sealer, id);
    if (newId === undefined) throw new UsageError(`There is no merchant ${id}.`);
    return { document: { merchantId: newId, wiping: true } };
  },
});

const wipeRefusals: Record<WipeRefusal, string> = {
  answered: 'a receiver has answered a reward.issue with 2xx, so a reward may have been granted',
  read: 'the feed was read when it had a reward.issue, so a reward may have been granted',
  unknown: 'what happened to a reward.issue is older than what is kept, so a reward may have been granted',
  sending: 'a reward.issue is being sent; pause the webhooks, and try again in a minute',
};

export const merchantWipeLive = command({
  description:
    'Delete the members, referrals, orders, rewards, events and deliveries of the live side of a merchant that has ' +
    'not granted a reward yet: what a newcomer has tried with live keys. Keys, webhooks, verified origins, team and ' +
    'program stay. The merchant gets a new id, which is shown. A process of housekeeping deletes the rows of the ' +
    'former id in the background; merchant show has wipeRequestedAt until it has ended. Refused once a reward.issue ' +
    'was answered with 2xx, or read from the feed.',
  audit: 'live_data.wiped',
  required: { merchant: 'merchant id, of the live side' },
  async preview({ merchant }, { database }) {
    if (modeOf(merchant) === 'test') throw new UsageError(`There is no live merchant ${merchant}.`);
    await requireMerchant(database, merchant);
    return {
      what:
        `Deletes all live data of ${merchant}, unless a reward may have been granted, and gives it a new id. Of each ` +
        `table at most 10,001 rows are counted.`,
      counts: await countData(database, merchant),
    };
  },
  async run({ merchant }, { database, sealer }) {
    const newId = await requestLiveWipe(database, sealer, merchant).catch((error: unknown) => {
      if (!(error instanceof LiveWipeRefused)) throw error;
      throw new CommandFailed(`Nothing was deleted: ${wipeRefusals[error.reason]}.`);
    });
    if (newId === undefined) throw new UsageError(`There is no live merchant ${merchant}.`);
    return { document: { merchantId: newId, formerId: merchant, wiping: true } };
  },
});
/** @throws UsageError when there is none */
async function requireTestSide(database: Database, merchant: string): Promise<string> {
  const id = modeOf(merchant) === 'test' ? merchant : await findTestSide(database, merchant);
  if (id === undefined) throw new UsageError(`Merchant ${merchant} has no test side.`);
  return id;
}

const isTeamRole = (role: string): role is TeamRole => (teamRoles as readonly string[]).includes(role);

export const merchantInvite = command({
  description:
    'Invite a person to the console of a merchant. The link is shown only once and expires after 7 days. Give it ' +
    'only to the owner of the address: anyone who opens it is treated as the owner.',
  audit: 'invitation.created',
  required: { merchant: 'merchant id', email: 'address of the person, with which they sign in' },
  optional: { role: `${teamRoles.join(', ')} (default owner)` },
  async run({ merchant, email, role = 'owner' }, { database, consoleUrl }) {
    if (!isTeamRole(role))
      throw new UsageError(`--role must be one of ${teamRoles.join(', ')}, not ${role}.`);
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`${email} is not an e-mail address.`);
    if (modeOf(merchant) === 'test')
      throw new UsageError(
        'Users belong to both sides of a merchant: invite them with the id of the live one.',
      );
    await requireMerchant(database, merchant);
    const { row, path } = newInvitation({
      merchantId: merchant,
      email: normalizeEmail(email),
      role,
    });
    const { expiresAt } = await insertInvitation(database, row, { mail: false });
    return { document: { invitationId: row.id, role, link: `${consoleUrl}${path}`, expiresAt } };
  },
});
