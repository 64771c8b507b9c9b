import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildOrder } from '@rewardhook/testing';
import { upsertOrders } from '@rewardhook/database/stages';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false, limits: { linksPerCode: 0, linksPerAddress: 30 } });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

const run = (name: string, options: Record<string, string> = {}) =>
  flow.admin(name, { merchant: merchant.id, ...options });

describe('merchant update', () => {
  it('changes the given options and keeps the others', async () => {
    await run('merchant update', { 'landing-url': 'https://shop.example.com', 'attribution-days': '7' });
    await run('merchant update', {
      'allowed-origins': 'https://shop.example.com',
      'require-user-hash': 'true',
    });
    const { merchant: shown } = await run('merchant show');
    expect(shown).toMatchObject({
      id: merchant.id,
      landingUrl: 'https://shop.example.com/',
      allowedOrigins: ['https://shop.example.com'],
      requireUserHash: true,
      attributionDays: 7,
    });
    expect(Object.keys(shown as object).toSorted()).toEqual([
      'allowedOrigins',
      'attributionDays',
      'contactEmail',
      'createdAt',
      'deliveryPausedAt',
      'feedPosition',
      'feedReadAt',
      'id',
      'ingestPausedAt',
      'landingUrl',
      'lastPingAt',
      'liveMerchantId',
      'manualRewardLimit',
      'mode',
      'name',
      'nextDigestAt',
      'pauseContact',
      'pauseReason',
      'requestsPerSecond',
      'requireUserHash',
      'signatureCheckedAt',
      'timezone',
      'usesFeed',
      'waitingKib',
      'wipeRequestedAt',
      'wipedAt',
    ]);
  });

  it('changes no other merchant', async () => {
    const other = await flow.openMerchant();
    await run('merchant update', { 'require-user-hash': 'false' });
    expect((await flow.admin('merchant show', { merchant: other.id }))['merchant']).toMatchObject({
      requireUserHash: true,
      attributionDays: 30,
    });
  });

  it('changes the limit of rewards by hand, which the activity of the merchant shows', async () => {
    await run('merchant update', { 'manual-reward-limit': '2000000' });
    expect((await run('merchant show'))['merchant']).toMatchObject({ manualRewardLimit: 2_000_000 });
    const entry = await flow.database.auditEntry.findFirstOrThrow({
      where: { merchantId: merchant.id, action: 'merchant.limits_changed' },
    });
    expect(entry.details).toMatchObject({ changes: { manualRewardLimit: [1_000_000, 2_000_000] } });
    for (const limit of ['0', '1.5', 'none'])
      await expect(run('merchant update', { 'manual-reward-limit': limit })).rejects.toThrow(
        '--manual-reward-limit must be a whole number',
      );
  });

  it('reports missing options and an unknown merchant', async () => {
    await expect(run('merchant update')).rejects.toThrow('Give at least one option to change.');
    const unknown = { merchant: 'mer_nosuch', 'require-user-hash': 'true' };
    await expect(flow.admin('merchant update', unknown)).rejects.toThrow('There is no merchant mer_nosuch.');
  });
});

describe('merchant identity-secret', () => {
  it('shows the secret of the merchant', async () => {
    const other = await flow.openMerchant();
    const [one, two] = [
      await run('merchant identity-secret'),
      await flow.admin('merchant identity-secret', { merchant: other.id }),
    ];
    expect(one['identitySecret']).toMatch(/^ids_[0-9A-Za-z]{43}$/);
    expect(one['identitySecret']).not.toBe(two['identitySecret']);
  });
});

describe('origin verify', () => {
  it('records the origin without proof for the operator, fetches the file otherwise, and accepts the origin of a landing URL', async () => {
    const origins = async () =>
      (await run('origin list', {}))['origins'] as { origin: string; proof: string }[];
    await run('merchant update', { 'landing-url': 'https://shop.example.com/welcome' });
    await run('origin verify', { origin: 'https://m.example.com', 'without-proof': 'true' });
    expect(await origins()).toMatchObject([
      { origin: 'https://shop.example.com', proof: 'operator' },
      { origin: 'https://m.example.com', proof: 'operator' },
    ]);
    const site = createServer((_request, response) => void response.end(`${merchant.id}\n`));
    await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    await run('origin verify', { origin });
    await new Promise((resolve) => site.close(resolve));
    expect((await origins()).at(-1)).toMatchObject({ origin, proof: 'file' });
    await expect(run('origin verify', { origin: 'http://127.0.0.1:1' })).rejects.toThrow(
      '/.well-known/rewardhook-verification.txt cannot be fetched',
    );
  });

  it('rejects wildcards, as the list of allowed origins does', async () => {
    for (const command of [
      run('merchant update', { 'allowed-origins': 'https://*.example.com' }),
      run('origin verify', { origin: 'https://*.example.com' }),
    ])
      await expect(command).rejects.toThrow('there are no wildcards, name each origin');
  });
});

describe('A placeholder in place of a member id', () => {
  it('is refused by the commands that link, move and merge, except as the member who is merged', async () => {
    const orders = JSON.stringify([buildOrder({ member_id: 'undefined' }), buildOrder({ member_id: 'bob' })]);
    await upsertOrders(flow.database, [{ merchantId: merchant.id, version: 1, orders }]);
    const refused = 'is a placeholder such as undefined or guest, not the id of a member';
    const move = { reason: 'why' };
    for (const [option, command] of [
      ['--referee', run('member link', { referrer: 'ann', referee: 'undefined' })],
      ['--referrer', run('member link', { referrer: 'Guest', referee: 'bob' })],
      ['--referee', run('member move-link', { ...move, referrer: 'ann', referee: 'null' })],
      ['--referrer', run('member move-link', { ...move, referrer: '0', referee: 'bob' })],
      ['--into', run('member merge', { ...move, from: 'bob', into: '비회원' })],
    ] as const)
      await expect(command).rejects.toThrow(`${option} ${refused}`);
    await expect(run('member merge', { ...move, from: 'bob', into: 'bob2\u200e' })).rejects.toThrow(
      '--into must not begin or end with a blank or contain invisible characters',
    );
    expect(await run('member merge', { ...move, from: 'undefined', into: 'bob' })).toMatchObject({
      memberId: 'bob',
    });
  });
});

describe('A flagged referral', () => {
  it('is shown with its members and their orders', async () => {
    const referral_code = (await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code'];
    await flow.boot(merchant, { user_id: 'bob', referral_code });
    await flow.link(merchant, 'ann', 'carl');
    const order = buildOrder({ member_id: 'bob' });
    await upsertOrders(flow.database, [
      { merchantId: merchant.id, version: 1, orders: JSON.stringify([order]) },
    ]);
    const flags = ['code_velocity'];
    expect(await run('member show', { member: 'ann' })).toMatchObject({
      member: { memberId: 'ann', code: referral_code },
      referredBy: null,
      referralCount: 2,
      flaggedCount: 1,
      referrals: [
        { refereeMemberId: 'carl', source: 'link', flags: [] },
        { refereeMemberId: 'bob', source: 'boot', flags },
      ],
    });
    expect((await run('member show', { member: 'bob' }))['referredBy']).toMatchObject({
      referrerMemberId: 'ann',
      flags,
    });
    expect((await run('order show', { order: order.order_id }))['referral']).toMatchObject({ flags });
  });

  it('is shown under the same keys by every command', async () => {
    const linked = await run('member link', { referrer: 'ann', referee: 'bob' });
    const order = buildOrder({ member_id: 'bob' });
    await upsertOrders(flow.database, [
      { merchantId: merchant.id, version: 1, orders: JSON.stringify([order]) },
    ]);
    await flow.database.referral.updateMany({
      where: { merchantId: merchant.id },
      data: { review: 'pending' },
    });
    const { referrals } = await run('member show', { member: 'ann' });
    const { referredBy } = await run('member show', { member: 'bob' });
    const { referral } = await run('order show', { order: order.order_id });
    const accepted = await run('referral accept', { referral: (referredBy as { id: string }).id });
    const shown = [
      linked['referral'],
      (referrals as object[])[0],
      referredBy,
      referral,
      accepted['referral'],
    ];
    for (const one of shown)
      expect(Object.keys(one as object).toSorted()).toEqual([
        'code',
        'ended',
        'flags',
        'fromOrderId',
        'hadOrderBefore',
        'id',
        'linkedAt',
        'merchantId',
        'moves',
        'ordersEnqueuedAt',
        'refereeMemberId',
        'referrerMemberId',
        'review',
        'reviewedAt',
        'reviewedBy',
        'source',
      ]);
  });

  it('cannot be shown for an unknown member', async () => {
    await expect(run('member show', { member: 'nobody' })).rejects.toThrow('has no member nobody');
  });
});
