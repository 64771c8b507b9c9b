import { createHmac } from 'node:crypto';
import { buildOrder, scaled } from '@rewardhook/testing';
import { upsertOrders } from '@rewardhook/database/stages';
import { browserUserAgent } from '../../../../tests/harness/call-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

const boot = async (body: { user_id: string; [field: string]: unknown }) =>
  (await flow.boot(merchant, body)).body.data;
const codeOf = async (user_id: string) => String((await boot({ user_id }))['referral_code']);
const update = (options: Record<string, string>) =>
  flow.admin('merchant update', { merchant: merchant.id, ...options });
const referralOf = (member: string) =>
  flow.database.referral.findFirst({ where: { merchantId: merchant.id, refereeMemberId: member } });

describe('boot', () => {
  it('A verified member gets their code, and their share link where the merchant has a landing URL', async () => {
    const first = await boot({ user_id: 'ann' });
    expect(first).toEqual({
      user_id: 'ann',
      verified: true,
      referral_code: expect.stringMatching(/^[2-9A-HJKMNPRSTWXYZ]{8}$/),
      share_link: null,
      referrer_linked: false,
      link: 'no_code',
    });
    await update({ 'landing-url': 'https://shop.example.com/' });
    expect((await boot({ user_id: 'ann' }))['share_link']).toBe(
      `https://share.example/r/${String(first['referral_code'])}`,
    );
  });

  it('A new member is linked by a code of either letter case, and only once', async () => {
    const [ann, eve] = [await codeOf('ann'), await codeOf('eve')];
    const body = { user_id: 'bob', referral_code: ann.toLowerCase() };
    expect(await boot(body)).toMatchObject({ referrer_linked: true, link: 'linked' });
    expect(await boot({ user_id: 'bob', referral_code: eve })).toMatchObject({
      referrer_linked: true,
      link: 'already_linked',
    });
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'ann', code: ann, flags: [] });
  });

  it('A member is not linked to themselves or by an unknown code, and is not new after an order', async () => {
    const ann = await codeOf('ann');
    expect((await boot({ user_id: 'ann', referral_code: ann }))['link']).toBe('own_code');
    expect((await boot({ user_id: 'bob', referral_code: 'NOSUCH99' }))['link']).toBe('unknown_code');
    await upsertOrders(flow.database, [
      {
        merchantId: merchant.id,
        version: 1,
        orders: JSON.stringify([buildOrder({ member_id: 'carl', order_date: '2024-01-01T00:00:00Z' })]),
      },
    ]);
    expect(await boot({ user_id: 'carl', referral_code: ann })).toMatchObject({
      referral_code: expect.any(String),
      link: 'not_new',
    });
    const referrals = await flow.database.referral.findMany({ where: { merchantId: merchant.id } });
    expect(referrals.map(({ refereeMemberId }) => refereeMemberId)).toEqual(['carl']);
  });

  it('Many simultaneous boots with different codes make one referral', async () => {
    const codes = await Promise.all(Array.from({ length: 20 }, (_, index) => codeOf(`referrer-${index}`)));
    const boots = await Promise.all(codes.map((referral_code) => boot({ user_id: 'bob', referral_code })));
    expect(boots.filter(({ link }) => link === 'linked')).toHaveLength(1);
    expect(boots.filter(({ link }) => link === 'already_linked')).toHaveLength(19);
    expect(await flow.database.referral.count({ where: { merchantId: merchant.id } })).toBe(1);
  });
});

describe('boot without a user_hash, where the merchant does not require one', () => {
  beforeEach(() => update({ 'require-user-hash': 'false' }));
  const unsigned = (user_id: string, more: object = {}) =>
    flow.boot(merchant, { user_id, user_hash: undefined, ...more });

  it('The response is the same for known and new members, with or without orders or a referrer, and for the owner of the code', async () => {
    await update({ 'landing-url': 'https://shop.example.com/' });
    const code = await codeOf('ann');
    await boot({ user_id: 'known' });
    await boot({ user_id: 'linked', referral_code: code });
    await upsertOrders(flow.database, [
      {
        merchantId: merchant.id,
        version: 1,
        orders: JSON.stringify([buildOrder({ member_id: 'buyer' })]),
      },
    ]);
    const members = ['ann', 'known', 'new', 'buyer', 'linked'];
    for (const more of [{}, { referral_code: code }, { referral_code: 'NOSUCH99' }]) {
      const answers = await Promise.all(members.map((member) => unsigned(member, more)));
      const seen = answers.map(({ status, headers, body }) => ({
        status,
        headers: [...headers.keys()],
        data: { ...body.data, user_id: 'somebody' },
      }));
      for (const one of seen) expect(one).toEqual(seen[0]);
    }
    expect((await unsigned('known')).body.data).toEqual({
      user_id: 'known',
      verified: false,
      referral_code: null,
      share_link: null,
      referrer_linked: null,
      link: 'unverified',
    });
  });

  it('A new member with a code is linked, and a member without a code is not stored', async () => {
    const referral_code = await codeOf('ann');
    await unsigned('bob', { referral_code });
    await unsigned('carl');
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'ann', review: 'pending' });
    const known = await flow.database.member.findMany({ where: { merchantId: merchant.id } });
    expect(known.map(({ memberId }) => memberId).toSorted()).toEqual(['ann', 'bob']);
  });

  it('A link that follows a click, from a page of the merchant, needs no review', async () => {
    await update({ 'landing-url': 'https://shop.example.com/' });
    const referral_code = await codeOf('ann');
    const followed = await fetch(`${flow.url}/r/${referral_code}`, {
      redirect: 'manual',
      headers: { 'user-agent': browserUserAgent },
    });
    const click_id = new URL(followed.headers.get('location') ?? '').searchParams.get('rh_click');
    const headers = { origin: 'https://shop.example.com' };
    const body = { user_id: 'bob', user_hash: undefined, referral_code, click_id };
    await flow.boot(merchant, body, { headers });
    expect(await referralOf('bob')).toMatchObject({ flags: [], review: 'none' });
    await flow.boot(
      merchant,
      { ...body, user_id: 'carl' },
      { headers: { origin: 'https://elsewhere.example' } },
    );
    expect(await referralOf('carl')).toMatchObject({ flags: ['foreign_origin'], review: 'pending' });
    await flow.boot(merchant, { ...body, user_id: 'dora', click_id: 'clk_made_up' }, { headers });
    expect(await referralOf('dora')).toMatchObject({ flags: ['no_click'], review: 'pending' });
  });
});

describe('the attribution window', () => {
  const click = async (code: string, daysAgo: number, merchantId = merchant.id) => {
    const id = `clk_${code}_${daysAgo}`;
    const clickedAt = new Date(Date.now() - daysAgo * 86_400_000);
    await flow.database.click.create({ data: { id, merchantId, code, clickedAt } });
    return id;
  };

  it('The attribution window ends 30 days after the click, or after the days that the merchant set', async () => {
    const referral_code = await codeOf('ann');
    const [young, old] = [await click(referral_code, 29), await click(referral_code, 31)];
    expect(await boot({ user_id: 'late', referral_code, click_id: old })).toMatchObject({
      referrer_linked: false,
      link: 'expired',
    });
    expect((await boot({ user_id: 'early', referral_code, click_id: young }))['link']).toBe('linked');
    await update({ 'attribution-days': '40' });
    expect((await boot({ user_id: 'late', referral_code, click_id: old }))['link']).toBe('linked');
  });

  it('The attribution window does not apply without a known click of this merchant and code', async () => {
    const referral_code = await codeOf('ann');
    const ofAnotherCode = await click(await codeOf('eve'), 99);
    const ofAnotherMerchant = await click(referral_code, 99, (await flow.openMerchant()).id);
    const ids = ['clk_nosuch', ofAnotherCode, ofAnotherMerchant];
    for (const [index, click_id] of ids.entries())
      expect((await boot({ user_id: `bob-${index}`, referral_code, click_id }))['link']).toBe('linked');
  });
});

describe('user_hash', () => {
  const secretOf = async () => {
    const shown = await flow.admin('merchant identity-secret', { merchant: merchant.id });
    return String(shown['identitySecret']);
  };
  const hash = (secret: string, userId: string) => createHmac('sha256', secret).update(userId).digest('hex');

  it('A valid user_hash in hexadecimal of either case is accepted', async () => {
    await update({ 'require-user-hash': 'true' });
    const right = hash(await secretOf(), '민수');
    for (const user_hash of [right, right.toUpperCase()])
      expect(await boot({ user_id: '민수', user_hash })).toHaveProperty('referral_code');
  });

  it('A new merchant requires user_hash: without it, a boot reveals and stores nothing', async () => {
    const answer = await flow.boot(merchant, { user_id: 'ann', user_hash: undefined });
    expect([answer.status, answer.body.params]).toEqual([400, { user_hash: 'is required' }]);
    expect(answer.body).not.toHaveProperty('data');
    expect(await flow.database.member.count({ where: { merchantId: merchant.id } })).toBe(0);
  });

  it('Hashes of a replaced identity secret are accepted until its overlap ends, and those of the new one at once', async () => {
    const former = await secretOf();
    const replaced = await flow.admin('merchant replace-identity-secret', { merchant: merchant.id });
    const secret = String(replaced['identitySecret']);
    expect([secret === former, await secretOf()]).toEqual([false, secret]);
    const overlap = Date.parse(String(replaced['formerExpireAt'])) - Date.now();
    expect(Math.abs(overlap - 24 * 3_600_000)).toBeLessThan(scaled(60_000));
    const bootWith = async (one: string) =>
      (await flow.boot(merchant, { user_id: 'ann', user_hash: hash(one, 'ann') })).status;
    expect([await bootWith(former), await bootWith(secret), await bootWith('ids_other')]).toEqual([
      200, 200, 400,
    ]);
    const unknown = { user_id: 'bob', user_hash: hash(former, 'ann') };
    expect((await flow.boot(merchant, unknown)).body.params).toEqual({
      user_hash: 'does not belong to user_id',
    });

    await flow.database.formerIdentitySecret.updateMany({
      where: { merchantId: merchant.id },
      data: { expiresAt: new Date(Date.now() - 1_000) },
    });
    expect([await bootWith(former), await bootWith(secret)]).toEqual([400, 200]);
  });

  it('A second replacement ends no overlap early, and one without an overlap ends all at once', async () => {
    const replace = async (hours: string) =>
      String(
        (
          await flow.admin('merchant replace-identity-secret', {
            merchant: merchant.id,
            'overlap-hours': hours,
          })
        )['identitySecret'],
      );
    const secrets = [await secretOf(), await replace('168'), await replace('48')];
    const accepted = async () => {
      const boots = secrets.map((one) =>
        flow.boot(merchant, { user_id: 'ann', user_hash: hash(one, 'ann') }),
      );
      return (await Promise.all(boots)).map(({ status }) => status);
    };
    expect(await accepted()).toEqual([200, 200, 200]);
    secrets.push(await replace('0'));
    expect(await accepted()).toEqual([400, 400, 400, 200]);
    expect(await flow.database.formerIdentitySecret.count({ where: { merchantId: merchant.id } })).toBe(0);
    for (const hours of ['169', '-1', '', 'x']) await expect(replace(hours)).rejects.toThrow('0 to 168');
  });

  it('A user_hash of another member or another merchant is refused', async () => {
    const user_hash = hash(await secretOf(), 'ann');
    const answer = await flow.boot(merchant, { user_id: 'bob', user_hash });
    expect(answer.body.params).toEqual({ user_hash: 'does not belong to user_id' });
    const ofAnotherMerchant = hash(
      String(
        (await flow.admin('merchant identity-secret', { merchant: (await flow.openMerchant()).id }))[
          'identitySecret'
        ],
      ),
      'bob',
    );
    expect((await flow.boot(merchant, { user_id: 'bob', user_hash: ofAnotherMerchant })).status).toBe(400);
    expect(await flow.database.member.count({ where: { merchantId: merchant.id } })).toBe(0);
  });
});
