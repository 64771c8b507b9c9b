import { browserUserAgent, callApi } from '../../../../tests/harness/call-api.ts';
import { startApi } from '../../../../tests/harness/start-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Answer } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { scaled } from '@rewardhook/testing';

let flow: Flow;
let merchant: Merchant;
let code: string;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  await flow.admin('merchant update', {
    merchant: merchant.id,
    'landing-url': 'https://shop.example.com/hi?a=b',
  });
  code = String((await flow.boot(merchant, { user_id: 'ann' })).body.data['referral_code']);
});
afterAll(() => flow.close());

const follow = (path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> =>
  flow.call(path, undefined, { method, headers: { 'user-agent': browserUserAgent, ...headers } });
const clicks = () => flow.database.click.findMany({ where: { merchantId: merchant.id } });
const withoutClick = () => `https://shop.example.com/hi?a=b&rh_code=${code}`;

describe('share links', () => {
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
