import { createHmac } from 'node:crypto';
import { upsertOrders } from '@rewardhook/database/stages';
import { buildOrder, scaled } from '@rewardhook/testing';
import { browserUserAgent, bootPath, callApi } from '../../../../tests/harness/call-api.ts';
import type { Answer } from '../../../../tests/harness/call-api.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { startApi } from '../../../../tests/harness/start-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

describe('The boot of a member', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });

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
    const hash = (secret: string, userId: string) =>
      createHmac('sha256', secret).update(userId).digest('hex');

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
});

describe('a boot from a browser', () => {
  let merchant: Merchant;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
  });

  const page = 'https://shop.example.com';
  const bootFrom = (origin: string, body: object = { user_id: 'ann' }, key = merchant.publicKey) =>
    flow.call(bootPath, body, { key, headers: { origin } });
  const allow = (origins: string) =>
    flow.admin('merchant update', { merchant: merchant.id, 'allowed-origins': origins });

  it('The preflight request needs no key and is allowed from every origin', async () => {
    const headers = { origin: page, 'access-control-request-method': 'POST' };
    const answer = await flow.call(bootPath, undefined, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    expect(answer.headers.get('access-control-allow-headers')).toBe('content-type, x-service-key');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toMatch(/origin/i);
  });

  it.each([
    ['content-type,x-service-key,traceparent,baggage,sentry-trace,x-datadog-trace-id', true],
    ['Content-Type, X-Service-Key', true],
    ['content-type,,x', false],
    ['content-type; x', false],
    [`content-type,${'x'.repeat(4_096)}`, false],
  ])('The preflight request for the headers %.40s is answered with them: %p', async (requested, isEchoed) => {
    const headers = { origin: page, 'access-control-request-method': 'POST' };
    const answer = await flow.call(bootPath, undefined, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-headers': requested },
    });
    expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
      204,
      isEchoed ? requested : 'content-type, x-service-key',
    ]);
    expect(answer.headers.get('vary')).toMatch(/access-control-request-headers/i);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('An app whose pages have an origin of its own is allowed by that origin', async () => {
    await allow('Capacitor://localhost, https://localhost');
    expect((await bootFrom('capacitor://localhost')).status).toBe(200);
    expect((await bootFrom('https://localhost')).status).toBe(200);
    for (const origin of ['ionic://localhost', 'capacitor://localhost:1', 'null'])
      expect((await bootFrom(origin)).status).toBe(403);
  });

  it('A page of any origin may call where the merchant has no allowed origins', async () => {
    const answer = await bootFrom(page);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('vary')).toMatch(/origin/i);
  });

  it.each([
    'https://shop.example.com.evil.com',
    'http://shop.example.com',
    'https://shop.example.com:444',
    'null',
  ])(
    'A page of %s is refused where the merchant allows another origin, and can read the error',
    async (origin) => {
      await allow(page);
      const answer = await bootFrom(origin, { user_id: 'ann', referral_code: 'ABCD2345' });
      expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(await flow.database.member.count({ where: { merchantId: merchant.id } })).toBe(0);
    },
  );

  it('Pages of each allowed origin are served, and programs that send no origin', async () => {
    await allow(`${page}, https://m.example.com`);
    for (const origin of [page, 'https://m.example.com'])
      expect((await bootFrom(origin)).headers.get('access-control-allow-origin')).toBe(origin);
    expect((await flow.boot(merchant, { user_id: 'ann' })).status).toBe(200);
    await allow('');
    expect((await bootFrom('https://elsewhere.example')).status).toBe(200);
  });

  it('A page can read errors about its key and its body', async () => {
    await allow(page);
    const wrongKey = await bootFrom(page, {}, 'svc_pk_wrong');
    const wrongBody = await bootFrom(page, {});
    expect([wrongKey.status, wrongBody.status]).toEqual([401, 400]);
    for (const { headers } of [wrongKey, wrongBody])
      expect(headers.get('access-control-allow-origin')).toBe(page);
  });

  it('Browsers may call no other path', async () => {
    const headers = { origin: page };
    const link = await flow.call('/api/open/members/link/', undefined, {
      method: 'OPTIONS',
      headers,
    });
    expect(link.status).toBe(405);
    expect(link.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('share links', () => {
  let merchant: Merchant;
  let code: string;
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    await flow.admin('merchant update', {
      merchant: merchant.id,
      'landing-url': 'https://shop.example.com/hi?a=b',
    });
    code = String((await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code']);
  });

  const follow = (path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> =>
    flow.call(path, undefined, { method, headers: { 'user-agent': browserUserAgent, ...headers } });
  const clicks = () => flow.database.click.findMany({ where: { merchantId: merchant.id } });
  const withoutClick = () => `https://shop.example.com/hi?a=b&rh_code=${code}`;

  it('A share link records a click and redirects to the landing URL with the code', async () => {
    const answer = await follow(`/r/${code}`);
    const [click] = await clicks();
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe(`${withoutClick()}&rh_click=${click?.id}`);
    expect(click).toMatchObject({ id: expect.stringMatching(/^clk_[0-9A-Za-z]{22}$/), code });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('strict-origin');
  });

  it('A share link works as people paste it', async () => {
    const hyphenated = `${code.slice(0, 4)}-${code.slice(4)}`;
    const fullWidth = code.replaceAll(/./g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    const pasted = [code.toLowerCase(), `${code}/`, hyphenated, `${code}로`, `${code})`, fullWidth];
    for (const text of pasted)
      expect((await follow(`/r/${encodeURI(text)}`)).headers.get('location')).toContain(`rh_code=${code}&`);
    expect(await clicks()).toHaveLength(pasted.length);
  });

  it('The query of a share link reaches the landing page', async () => {
    const answer = await follow(`/r/${code}?utm_source=kakao&rh_code=ABCDEFGH&rh_click=clk_1`);
    const [click] = await clicks();
    expect(answer.headers.get('location')).toBe(
      `https://shop.example.com/hi?a=b&utm_source=kakao&rh_code=${code}&rh_click=${click?.id}`,
    );
  });

  it.each([
    ['a HEAD request', 'HEAD', {}],
    ['the preview of a messenger', 'GET', { 'user-agent': 'kakaotalk-scrap/1.0' }],
    ['a robot', 'GET', { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }],
    ['a browser that only prefetches', 'GET', { 'sec-purpose': 'prefetch;prerender' }],
  ])('The request of %s is redirected without recording a click', async (_who, method, headers) => {
    const answer = await follow(`/r/${code}`, method, headers);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, withoutClick()]);
    expect(await clicks()).toEqual([]);
  });

  it('The attribution window of boot begins with the click of the share link', async () => {
    const location = new URL(String((await follow(`/r/${code}`)).headers.get('location')));
    const click_id = location.searchParams.get('rh_click');
    await flow.database.click.updateMany({
      where: { id: String(click_id) },
      data: { clickedAt: new Date(Date.now() - 31 * 86_400_000) },
    });
    const booted = await flow.boot(merchant, { user_id: 'bob', referral_code: code, click_id });
    expect(booted.body.data['link']).toBe('expired');
  });

  it.each([
    '/r/NOSUCH99',
    '/r/%00',
    '/r/a%2Fb',
    `/r/${'A'.repeat(65)}`,
    '/r/%F0%9F%98%80',
    '/r/%ff',
    '/r/a/b',
    '/r/a/b/?c=/d',
    '/r/%ff/b',
    '/r//',
    '/r/',
    '/r',
  ])('The dead share link %s is a page in the language of the visitor', async (path) => {
    for (const [asked, language, heading] of [
      ['ko-KR,ko;q=0.9,en;q=0.8', 'ko', '사용할 수 없는 초대 링크입니다'],
      ['en-US,en;q=0.9,ko;q=0.8', 'en', 'This invitation link does not work'],
      ['fr', 'en', 'This invitation link does not work'],
    ] as const) {
      const response = await fetch(flow.url + path, { headers: { 'accept-language': asked } });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const page = await response.text();
      expect(page).toContain(`<html lang="${language}">`);
      expect(page).toContain(`<h1>${heading}</h1>`);
    }
  });

  it('The page of a dead link does not repeat the path', async () => {
    const [nested, unknown] = await Promise.all(
      ['/r/a/secret', '/r/NOSUCH99'].map(async (path) => (await fetch(flow.url + path)).text()),
    );
    expect(nested).toBe(unknown);
  });

  it('A share link answers 404 where the merchant has no landing URL', async () => {
    await flow.admin('merchant update', { merchant: merchant.id, 'landing-url': '' });
    expect((await fetch(`${flow.url}/r/${code}`)).status).toBe(404);
  });

  it('A share link answers 503 in JSON while the database is unavailable', async () => {
    const api = await startApi({
      ...flow.environment,
      databaseUrl: 'postgresql://nobody@127.0.0.1:1/nothing',
      // The API does not use Redis before it has compared it with the database.
      withoutRedis: true,
    });
    try {
      const answer = await callApi(api.url, `/r/${code}`, undefined, {
        method: 'GET',
        headers: { 'user-agent': browserUserAgent },
      });
      expect([answer.status, answer.body.code]).toEqual([503, 'service_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.ms).toBeLessThan(scaled(4_000));
    } finally {
      await api.close();
    }
  });
});
