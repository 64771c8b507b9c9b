import { createHmac } from 'node:crypto';
import { connectWorker, disconnect } from '@rewardhook/pipeline';
import { bootPath } from '../../../../tests/harness/call-api.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false, trustedProxies: 1 });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
});
afterAll(() => flow.close());

const victims = Array.from({ length: 50 }, (_, index) => `victim-${index}`);
const update = (options: Record<string, string>) =>
  flow.admin('merchant update', { merchant: merchant.id, ...options });
const bound = () => flow.database.referral.findMany({ where: { merchantId: merchant.id } });

/** Boots the attacker, and then each victim with the attacker's code. The public key is in the merchant's pages. */
async function attack(options: { body?: object; headers?: (index: number) => Record<string, string> } = {}) {
  const secret = await flow.admin('merchant identity-secret', { merchant: merchant.id });
  const user_hash = createHmac('sha256', String(secret['identitySecret'])).update('mallory').digest('hex');
  const own = await flow.boot(merchant, { user_id: 'mallory', user_hash });
  const referral_code = own.body.data['referral_code'];
  const statuses: number[] = [];
  for (const [index, user_id] of victims.entries()) {
    const body = { user_id, referral_code, ...options.body };
    const headers = options.headers?.(index) ?? {};
    statuses.push((await flow.call(bootPath, body, { key: merchant.publicKey, headers })).status);
  }
  return { own: { referral_code, user_hash }, statuses };
}

describe('an attacker who has the public key and boots 50 other members with their own code', () => {
  it('The attacker links no member where the merchant requires user_hash, neither without one nor with their own', async () => {
    await update({ 'require-user-hash': 'true' });
    const { own, statuses } = await attack();
    expect(new Set(statuses)).toEqual(new Set([400]));
    const again = await attack({ body: { user_hash: own.user_hash } });
    expect(new Set(again.statuses)).toEqual(new Set([400]));
    expect(await bound()).toEqual([]);
    const known = await flow.database.member.findMany({ where: { merchantId: merchant.id } });
    expect(known.map(({ memberId }) => memberId)).toEqual(['mallory']);
  });

  it('The attacker links no member from their own page where the merchant has allowed origins', async () => {
    await update({ 'allowed-origins': 'https://shop.example.com' });
    const { statuses } = await attack({ headers: () => ({ origin: 'https://evil.example.com' }) });
    expect(new Set(statuses)).toEqual(new Set([403]));
    expect(await bound()).toEqual([]);
  });

  it('Where the merchant has configured neither, the attacker links all 50 members, and each link needs review', async () => {
    await attack();
    const referrals = await bound();
    expect(referrals).toHaveLength(50);
    expect(referrals.filter(({ review }) => review === 'pending')).toHaveLength(50);
    expect(referrals.filter(({ flags }) => flags.includes('foreign_origin'))).toHaveLength(50);
    expect(referrals.filter(({ flags }) => flags.includes('address_velocity'))).toHaveLength(40);
    expect(referrals.filter(({ flags }) => flags.includes('code_velocity'))).toHaveLength(20);
    const shown = await flow.admin('member show', { merchant: merchant.id, member: 'mallory' });
    expect(shown).toMatchObject({ referralCount: 50, flaggedCount: 50 });
  });

  it('Links from 50 addresses with a forged origin need review, and those after the 30th in an hour are flagged', async () => {
    await update({ 'allowed-origins': 'https://shop.example.com' });
    const origin = 'https://shop.example.com';
    await attack({ headers: (index) => ({ origin, 'x-forwarded-for': `198.51.100.${index}` }) });
    const referrals = await bound();
    expect(referrals.filter(({ review }) => review === 'pending')).toHaveLength(50);
    expect(referrals.filter(({ flags }) => flags.includes('code_velocity'))).toHaveLength(20);
  });

  it('The responses reveal nothing about the victims', async () => {
    const { statuses } = await attack();
    expect(new Set(statuses)).toEqual(new Set([200]));
    const again = await flow.boot(merchant, { user_id: victims[0] as string, user_hash: undefined });
    expect(again.body.data).toMatchObject({ verified: false, referral_code: null, referrer_linked: null });
  });

  it('Forged addresses in X-Forwarded-For are ignored: only the address from the nearest proxy counts', async () => {
    await attack({ headers: (index) => ({ 'x-forwarded-for': `203.0.113.${index}, 198.51.100.1` }) });
    const flagged = (await bound()).filter(({ flags }) => flags.includes('address_velocity'));
    expect(flagged).toHaveLength(40);
  });

  it('No client address is stored in Redis or PostgreSQL', async () => {
    await attack({ headers: () => ({ 'x-forwarded-for': '198.51.100.77' }) });
    const redis = connectWorker(flow.environment.redisUrl, testLog);
    const keys = await redis.keys(`${flow.environment.prefix}:limit:*`).finally(() => disconnect(redis));
    expect(keys.filter((key) => key.includes(':limit:links_of_address:'))).not.toEqual([]);
    expect(JSON.stringify([await bound(), keys])).not.toContain('198.51.100.77');
  });
});
