import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from '@rewardhook/testing/servers';
import { projectRoot } from '@rewardhook/testing';
import { browserUserAgent } from '../../../tests/harness/call-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { userHashOf } from '../../../tests/harness/open-merchant.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { bundleScript } from '../testing/bundles.ts';
import { startMerchantSite } from '../testing/merchant-site.ts';
import type { MerchantSite } from '../testing/merchant-site.ts';

let flow: Flow;
let merchant: Merchant;
let site: MerchantSite;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let errors: Error[];

beforeAll(async () => {
  flow = await startFlow({ workers: false });
  browser = await chromium.launch({ executablePath: await chromiumPath(), args: chromiumArguments });
}, 300_000);
beforeEach(async () => {
  merchant = await flow.openMerchant();
  site = await startMerchantSite({ publicKey: merchant.publicKey, apiUrl: flow.url });
  await flow.admin('merchant update', { merchant: merchant.id, 'landing-url': `${site.url}/welcome` });
  // Without a window, Chromium says that it is a robot.
  context = await browser.newContext({ userAgent: browserUserAgent });
  page = await context.newPage();
  errors = [];
  page.on('pageerror', (error) => errors.push(error));
});
afterEach(async () => {
  await context.close();
  await site.close();
});
afterAll(async () => {
  await browser.close();
  await flow.close();
});

const signed = (userId: string) => ({ userId, userHash: userHashOf(merchant, userId) });
const boot = (userId: string, where: Page | Frame = page) =>
  where.evaluate<Record<string, unknown>>(`Rewardhook.boot(${JSON.stringify(signed(userId))})`);
const codeOf = async (member: string) =>
  String((await flow.boot(merchant, { user_id: member })).body.data['referral_code']);
const remembered = () => page.evaluate<string | null>(`localStorage.getItem('rewardhook')`);
const referralOf = (refereeMemberId: string) =>
  flow.database.referral.findFirst({ where: { merchantId: merchant.id, refereeMemberId } });

describe('the browser SDK in Chromium', () => {
  it('A code is carried from the share link through the landing page to the sign-up, where the member is linked', async () => {
    await page.goto(`${site.url}/account`);
    const ann = await boot('ann');
    expect(ann).toEqual({
      verified: true,
      referralCode: expect.stringMatching(/^\w{8}$/),
      shareLink: `https://share.example/r/${ann['referralCode'] as string}`,
      referrerLinked: false,
      link: 'no_code',
      noCodeReason: 'not_seen',
    });

    await page.goto(`${flow.url}/r/${ann['referralCode'] as string}`);
    const click = await flow.database.click.findFirstOrThrow({ where: { merchantId: merchant.id } });
    expect(page.url()).toBe(
      `${site.url}/welcome?rh_code=${ann['referralCode'] as string}&rh_click=${click.id}`,
    );
    const called = page.waitForRequest(
      (request) => request.url().endsWith('/boot/') && request.method() === 'POST',
    );
    await page.goto(`${site.url}/sign-up`);
    expect(await boot('bob')).toMatchObject({ referrerLinked: true, link: 'linked' });
    expect((await called).postDataJSON()).toEqual({
      user_id: 'bob',
      user_hash: userHashOf(merchant, 'bob'),
      referral_code: ann['referralCode'],
      click_id: click.id,
    });
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'ann', flags: [] });
    expect(await remembered()).toBeNull();
  });

  it('A code that the member typed links them instead of a stored one, which is deleted', async () => {
    const [stored, typed] = [await codeOf('ann'), await codeOf('eve')];
    const bootTyped = (userId: string, referralCode: string) =>
      page.evaluate<Record<string, unknown>>(
        `Rewardhook.boot(${JSON.stringify({ ...signed(userId), referralCode })})`,
      );
    await page.goto(`${site.url}/welcome?rh_code=${stored}`);
    expect(await bootTyped('bob', 'NOSUCH99')).toMatchObject({ link: 'unknown_code' });
    expect(await remembered()).toContain(stored);
    expect(await bootTyped('bob', ` ${typed.toLowerCase()} `)).toMatchObject({ link: 'linked' });
    expect(await remembered()).toBeNull();
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'eve' });

    await page.goto(`${site.url}/welcome?rh_code=${stored}`);
    expect(await bootTyped('carl', ' ')).toMatchObject({ link: 'linked' });
    expect(await referralOf('carl')).toMatchObject({ referrerMemberId: 'ann' });
  });

  it('The snippets of docs/linking.md work', async () => {
    const hash = userHashOf(merchant, 'user-42');
    const guide = readFileSync(join(projectRoot, 'docs/linking.md'), 'utf8');
    const snippets = [...guide.matchAll(/```html\n(.*?)```/gs)].map(([, html]) => html);
    expect(snippets).toHaveLength(2);
    site.pages['/pasted'] = snippets
      .join('')
      .replace('svc_pk_…', merchant.publicKey)
      .replace('https://api.example.com', flow.url)
      .replace("userHash: '…'", `userHash: '${hash}'`);
    const message = page.waitForEvent('console');
    await page.goto(`${site.url}/pasted`);
    expect((await message).text()).toMatch(
      /^Invite your friends: https:\/\/share\.example\/r\/(\w{8}), or with the code \1$/,
    );
  });

  it('The usage in the README works', async () => {
    const readme = readFileSync(join(projectRoot, 'packages/browser-sdk/README.md'), 'utf8');
    const code = readme.split('```js usage\n')[1]?.split('```')[0] ?? '';
    const mine = code.replace('svc_pk_…', merchant.publicKey).replace('https://api.example.com', flow.url);
    site.pages['/usage'] = `<body><script>${await bundleScript(mine, 'Usage')}</script>`;
    await page.goto(`${site.url}/usage`);
    await page.evaluate(`Usage.showInvitation('ann', '${userHashOf(merchant, 'ann')}')`);
    expect(await page.evaluate('document.body.textContent')).toMatch(
      /^Invite your friends: https:\/\/share\.example\/r\/(\w{8}), or with the code \1$/,
    );
  });

  it('The SDK works under a strict Content Security Policy', async () => {
    await page.goto(`${site.url}/strict/welcome?rh_code=${await codeOf('ann')}`);
    const violations: string[] = [];
    page.on('console', (message) => violations.push(message.text()));
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    expect(await page.evaluate(`fetch('https://elsewhere.example').catch(() => 'blocked')`)).toBe('blocked');
    expect(violations.filter((text) => !text.includes('elsewhere.example'))).toEqual([]);
    expect(await context.cookies()).toEqual([]);
  });

  it('A Content Security Policy that forbids the call is named, without retries', async () => {
    site.pages['/forbids'] = `<meta http-equiv="Content-Security-Policy" content="connect-src 'self'">
      <script src="/rewardhook.js"></script>
      <script>Rewardhook.init(${JSON.stringify({ publicKey: merchant.publicKey, apiUrl: flow.url })})</script>`;
    await page.goto(`${site.url}/forbids`);
    const failed = `Rewardhook.boot({ userId: 'bob' }).catch(({ code, message }) => ({ code, message }))`;
    expect(await page.evaluate(failed)).toEqual({
      code: 'unreachable',
      message: `The Content Security Policy of the page forbids the call: add ${flow.url} to connect-src.`,
    });
  });

  it('A page whose monitoring adds headers to every fetch links members', async () => {
    await page.addInitScript(`const { fetch } = window;
      window.fetch = (url, options = {}) => fetch(url, { ...options, headers: { ...options.headers,
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', baggage: 'a=b', 'sentry-trace': 'x',
        'x-datadog-origin': 'rum' } });`);
    await page.goto(`${site.url}/?rh_code=${await codeOf('ann')}`);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
  });

  it('A single-page app is followed: codes of later routes are stored, and each only once', async () => {
    const [ann, eve] = [await codeOf('ann'), await codeOf('eve')];
    await page.goto(`${site.url}/`);
    expect(await boot('carol')).toMatchObject({ link: 'no_code' });
    await page.evaluate(`history.pushState({}, '', '/welcome?rh_code=${ann}')`);
    expect(await remembered()).toContain(ann);
    await page.evaluate(`history.pushState({}, '', '/welcome?rh_code=${eve}')`);
    await page.evaluate(`history.pushState({}, '', '/sign-up')`);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'eve' });
    expect(await boot('carl')).toMatchObject({ link: 'no_code' });
    await page.goBack();
    expect(await page.evaluate('location.search')).toBe(`?rh_code=${eve}`);
    // Going back is no link that was followed, and the code was used.
    expect(await remembered()).toBeNull();
    await page.addInitScript(`delete window.navigation; delete Window.prototype.navigation`);
    await page.goto(`${site.url}/`);
    await page.evaluate(
      `localStorage.clear(); history.pushState({}, '', '/welcome?rh_code=${ann}'); history.pushState({}, '', '/x')`,
    );
    expect(await boot('dora')).toMatchObject({ link: 'linked' });
    expect(await boot('emil')).toMatchObject({ link: 'no_code' });
  });

  it('After a reload, or going back to the landing page, the next person on the device is not linked', async () => {
    const [ann, eve] = [await codeOf('ann'), await codeOf('eve')];
    await page.goto(`${site.url}/welcome?rh_code=${ann}&rh_click=clk_1`);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    await page.reload();
    expect(await boot('carl')).toMatchObject({ link: 'no_code', noCodeReason: 'used' });
    await page.goto(`${site.url}/account`);
    await page.goBack();
    expect(await boot('carl')).toMatchObject({ link: 'no_code' });
    // A click is one visit: also a bookmark of its landing page links nobody again.
    await page.goto(`${site.url}/account`);
    await page.goto(`${site.url}/welcome?rh_code=${ann}&rh_click=clk_1`);
    expect(await boot('carl')).toMatchObject({ link: 'no_code', noCodeReason: 'used' });
    // The code alone, in a link that is followed again, may link another person.
    await page.goto(`${site.url}/welcome?rh_code=${eve}`);
    expect(await boot('dora')).toMatchObject({ link: 'linked' });
    await page.goto(`${site.url}/account`);
    await page.goto(`${site.url}/welcome?rh_code=${eve}`);
    expect(await boot('emil')).toMatchObject({ link: 'linked' });
    await page.evaluate('Rewardhook.forget()');
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
  });

  it('A reload stores the code of the page when none is stored and it was not used', async () => {
    const [ann, eve] = [await codeOf('ann'), await codeOf('eve')];
    await page.goto(`${site.url}/welcome?rh_code=${ann}`);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    expect(await remembered()).toContain(ann);
    const other = await context.newPage();
    await other.goto(`${site.url}/welcome?rh_code=${eve}`);
    // An older tab does not replace the code of the newer link.
    await page.reload();
    expect(await remembered()).toContain(eve);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'eve' });
  });

  it('A code that a router has removed from the URL before init is stored', async () => {
    const code = await codeOf('ann');
    site.pages['/router'] = `<script>history.replaceState({}, '', '/home')</script>
      <script src="/rewardhook.js"></script>
      <script>Rewardhook.init(${JSON.stringify({ publicKey: merchant.publicKey, apiUrl: flow.url })})</script>`;
    await page.goto(`${site.url}/router?rh_code=${code}`);
    expect(page.url()).toBe(`${site.url}/home`);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
  });

  it('A page that is prerendered stores nothing until it is shown', async () => {
    const code = await codeOf('ann');
    await page.addInitScript(`window.shown = [];
      Object.defineProperty(document, 'prerendering', { get: () => !window.isShown, configurable: true });`);
    await page.goto(`${site.url}/welcome?rh_code=${code}`);
    await page.evaluate(
      `void Rewardhook.boot(${JSON.stringify(signed('bob'))}).then(({ link }) => (window.result = link))`,
    );
    expect(await remembered()).toBeNull();
    expect(await referralOf('bob')).toBeNull();
    await page.evaluate(`window.isShown = true; document.dispatchEvent(new Event('prerenderingchange'))`);
    await page.waitForFunction(`window.result === 'linked'`);
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'ann' });
  });

  it('Of a script that is included twice the first one stays, and the second one says so', async () => {
    const settings = JSON.stringify({ publicKey: merchant.publicKey, apiUrl: flow.url });
    const once = `<script src="/rewardhook.js"></script>`;
    site.pages['/twice'] =
      `${once}<script>Rewardhook.init(${settings}); window.first = Rewardhook</script>${once}`;
    const messages: string[] = [];
    page.on('console', (message) => messages.push(message.text()));
    await page.goto(`${site.url}/twice?rh_code=${await codeOf('ann')}`);
    expect(await page.evaluate('Rewardhook === first')).toBe(true);
    expect(messages).toEqual(['Rewardhook: the script is included twice. The first one stays.']);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
  });

  it('The snippet for a script that is loaded later queues the calls of the page', async () => {
    const guide = readFileSync(join(projectRoot, 'docs/linking.md'), 'utf8');
    const snippet = guide.split('```html queue\n')[1]?.split('```')[0] ?? '';
    const code = await codeOf('ann');
    site.pages['/later'] = `${snippet
      .replace('svc_pk_…', merchant.publicKey)
      .replace('https://api.example.com', flow.url)}<script>
        window.kept = Rewardhook.boot;
        Rewardhook.boot(${JSON.stringify(signed('bob'))}).then(({ link }) => (window.result = link));
      </script>`;
    await page.goto(`${site.url}/later?rh_code=${code}`);
    await page.waitForFunction(`window.result === 'linked'`);
    expect(await page.evaluate(`kept(${JSON.stringify(signed('carl'))}).then(({ link }) => link)`)).toBe(
      'no_code',
    );
    expect(errors).toEqual([]);
  });

  it('A code that the member types later links them by a second boot', async () => {
    const code = await codeOf('ann');
    await page.goto(`${site.url}/account`);
    expect(await boot('bob')).toMatchObject({ link: 'no_code', referrerLinked: false });
    const again = `Rewardhook.boot(${JSON.stringify({ ...signed('bob'), referralCode: code })})`;
    expect(await page.evaluate(again)).toMatchObject({ link: 'linked', referrerLinked: true });
  });

  it('Without consent nothing is stored on the device; with it the code of this page is, until it is withdrawn', async () => {
    const settings = { publicKey: merchant.publicKey, apiUrl: flow.url };
    site.pages['/asks'] = `<script src="/rewardhook.js"></script>
      <script>Rewardhook.init(${JSON.stringify({ ...settings, persist: false })})</script>`;
    const code = await codeOf('ann');
    await page.goto(`${site.url}/asks?rh_code=${code}`);
    expect([await remembered(), await context.cookies()]).toEqual([null, []]);
    await page.evaluate(`Rewardhook.init(${JSON.stringify(settings)})`);
    expect(await remembered()).toContain(code);
    await page.evaluate('Rewardhook.forget()');
    expect(await remembered()).toBeNull();
    await page.goto(`${site.url}/asks?rh_code=${code}`);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
  });

  it('init returns what is wrong with its settings, and boot makes no call with them', async () => {
    await page.goto(`${site.url}/`);
    let calls = 0;
    page.on('request', () => (calls += 1));
    const secretKey = { publicKey: 'svc_sk_x', apiUrl: 'api.example.com' };
    const result = `(({ code, params }) => ({ code, params }))(Rewardhook.init(${JSON.stringify(secretKey)}))`;
    expect(await page.evaluate(result)).toEqual({
      code: 'invalid_settings',
      params: {
        publicKey: expect.stringContaining('is a secret key'),
        apiUrl: expect.stringContaining('must be the URL'),
      },
    });
    expect(await page.evaluate(`Rewardhook.boot({ userId: 'bob' }).catch(({ code }) => code)`)).toBe(
      'invalid_settings',
    );
    expect([calls, errors]).toEqual([0, []]);
  });

  it('The React hook boots the member who is signed in, and again when a code is typed', async () => {
    const code = await codeOf('ann');
    let calls = 0;
    page.on('request', (request) => (calls += request.method() === 'POST' ? 1 : 0));
    await page.goto(`${site.url}/react/`);
    const show = (member: object | null) => page.evaluate(`ReactApp.show(${JSON.stringify(member)})`);
    await page.locator('#signed_out').waitFor({ state: 'attached' });
    await show(signed('bob'));
    await page.locator('#ready', { hasText: 'no_code https://share.example/r/' }).waitFor();
    expect(calls).toBe(1);
    await show({ ...signed('bob'), referralCode: code });
    await page.locator('#ready', { hasText: 'linked' }).waitFor();
    await show({ userId: 'bob', userHash: 'wrong' });
    await page.locator('#error', { hasText: 'invalid_request' }).waitFor();
    await show(null);
    await page.locator('#signed_out').waitFor({ state: 'attached' });
    expect([calls, errors]).toEqual([3, []]);
  });

  it('The React hook never returns the data of another member', async () => {
    await page.goto(`${site.url}/react/`);
    const show = (userId: string) => page.evaluate(`ReactApp.show(${JSON.stringify(signed(userId))})`);
    await show('bob');
    await page.locator('#ready[title=bob]').waitFor();
    await page.evaluate(`window.shown = [];
      new MutationObserver(() => {
        const { title, id } = document.querySelector('#app p');
        window.shown.push(title + ' ' + id);
      }).observe(document.getElementById('app'), { subtree: true, childList: true, attributes: true })`);
    await show('carl');
    await page.locator('#ready[title=carl]').waitFor();
    await page.waitForFunction(`shown.includes('carl loading')`);
    expect(await page.evaluate('shown[0]')).toBe('carl loading');
  });

  it('The SDK works as a module', async () => {
    await page.goto(`${site.url}/module/?rh_code=${await codeOf('ann')}`);
    expect(await page.evaluate(`bootByModule(${JSON.stringify(signed('bob'))})`)).toMatchObject({
      link: 'linked',
    });
    expect(await page.evaluate(`typeof Rewardhook`)).toBe('undefined');
  });

  it('The last share link counts, and its code is kept until a member is linked', async () => {
    const [ann, eve] = [await codeOf('ann'), await codeOf('eve')];
    await page.goto(`${site.url}/?rh_code=${eve}`);
    await page.goto(`${site.url}/?rh_code=${ann}`);
    await page.goto(`${site.url}/?rh_code=`);
    expect(await boot('ann')).toMatchObject({ link: 'own_code' });
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'ann' });
    expect(await boot('carl')).toMatchObject({ link: 'no_code' });
  });

  it('A code is deleted after 90 days, and when it is unknown', async () => {
    await page.goto(`${site.url}/`);
    for (const [days, link] of [
      [91, 'no_code'],
      [89, 'unknown_code'],
      [0, 'no_code'],
    ] as const) {
      if (days > 0)
        await page.evaluate(
          `localStorage.setItem('rewardhook', JSON.stringify(['NOSUCH99', '', Date.now() - ${days} * 864e5]))`,
        );
      expect(await boot('bob')).toMatchObject({ link });
    }
  });

  it('Invalid codes in the URL are ignored', async () => {
    for (const code of ['a%00', '%F0%9F%98%80', 'A'.repeat(65), '<script>']) {
      await page.goto(`${site.url}/?rh_code=${code}&rh_click=${code}`);
      expect(await remembered()).toBeNull();
      expect(await boot('bob')).toMatchObject({ link: 'no_code', noCodeReason: 'malformed' });
    }
  });

  it('The code is stored in a cookie where localStorage is denied', async () => {
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError') } })`,
    );
    await page.goto(`${site.url}/?rh_code=${await codeOf('ann')}`);
    await page.goto(`${site.url}/sign-up`);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'rewardhook', path: '/', sameSite: 'Lax' });
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['rewardhook_used']);
    await page.evaluate('Rewardhook.forget()');
    expect(await context.cookies()).toEqual([]);
  });

  it('Without any storage, the SDK works within one page', async () => {
    await page.goto(`${site.url}/framed/?rh_code=${await codeOf('ann')}`);
    const frame = page.frames()[1];
    if (!frame) throw new Error('the page has no frame');
    await frame.waitForFunction(`window.Rewardhook`);
    const storage = `try { localStorage; 'open' } catch { try { document.cookie; 'cookies' } catch { 'denied' } }`;
    expect(await frame.evaluate(storage)).toBe('denied');
    expect(await boot('bob', frame)).toMatchObject({ link: 'linked' });
    expect(await boot('carl', frame)).toMatchObject({ link: 'no_code' });
    expect(errors).toEqual([]);
  });

  it('A call is retried when the API does not answer or is unavailable', async () => {
    let calls = 0;
    await page.route('**/members/boot/', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      calls += 1;
      if (calls === 1) return route.abort('connectionrefused');
      if (calls === 2)
        return route.fulfill({
          status: 503,
          body: '<h1>Bad gateway</h1>',
          headers: { 'access-control-allow-origin': '*' },
        });
      return route.continue();
    });
    await page.goto(`${site.url}/?rh_code=${await codeOf('ann')}`);
    expect(await boot('bob')).toMatchObject({ link: 'linked' });
    expect(calls).toBe(3);
  });

  it.each([
    [403, { error: 'blocked' }],
    [200, {}],
  ])('JSON of another server with status %d is no answer of the API', async (status, answer) => {
    let calls = 0;
    await page.route('**/members/boot/', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      calls += 1;
      const headers = { 'access-control-allow-origin': '*' };
      return route.fulfill({ status, headers, json: answer });
    });
    await page.goto(`${site.url}/`);
    const failed = `Rewardhook.boot(${JSON.stringify(signed('bob'))}).catch(({ code, message }) => [code, message])`;
    expect(await page.evaluate(failed)).toEqual(['unreachable', 'Rewardhook did not answer.']);
    expect(calls).toBe(1);
  });

  it('Errors reject the promise of boot, and cause no page error when it is not awaited', async () => {
    await page.goto(`${site.url}/`);
    await page.evaluate(`void Rewardhook.boot({ userId: 'bob' })`);
    const wrong = `Rewardhook.boot({ userId: 'bob' }).catch(({ code, params }) => ({ code, params }))`;
    expect(await page.evaluate(wrong)).toEqual({
      code: 'invalid_request',
      params: { user_hash: 'is required' },
    });
    for (const member of ['', 'undefined', '{}', '{ userId: "" }', '{ userId: 7 }'])
      expect(await page.evaluate(`Rewardhook.boot(${member}).catch(({ code }) => code)`)).toBe(
        'invalid_member',
      );
    for (const given of ['{}', '{ publicKey: "svc_pk_x" }', '{ apiUrl: "https://api.example.com" }']) {
      await page.evaluate(`Rewardhook.init(${given})`);
      expect(await page.evaluate(`Rewardhook.boot({ userId: 'bob' }).catch(({ code }) => code)`)).toBe(
        'invalid_settings',
      );
    }
    await page.evaluate(
      `Rewardhook.init({ publicKey: 'svc_pk_wrong', apiUrl: ${JSON.stringify(flow.url)} })`,
    );
    const unknown = `Rewardhook.boot({ userId: 'bob' }).catch(({ code }) => code)`;
    expect(await page.evaluate(unknown)).toBe('invalid_api_key');
    await page.evaluate(`Rewardhook.init(undefined); void Rewardhook.boot(undefined)`);
    expect(await page.evaluate(`Rewardhook.boot({ userId: 'bob' }).catch(({ code }) => code)`)).toBe(
      'not_initialized',
    );
    expect(errors).toEqual([]);
  });

  it('An allowed page can call; another page gets origin_not_allowed without retries', async () => {
    const allow = (origins: string) =>
      flow.admin('merchant update', { merchant: merchant.id, 'allowed-origins': origins });
    await allow(site.url);
    await page.goto(`${site.url}/`);
    expect(await boot('bob')).toMatchObject({ link: 'no_code' });
    await allow('https://elsewhere.example.com');
    let calls = 0;
    page.on('request', (request) => (calls += request.method() === 'POST' ? 1 : 0));
    const refused = `Rewardhook.boot(${JSON.stringify(signed('carl'))}).catch(({ code }) => code)`;
    expect([await page.evaluate(refused), calls]).toEqual(['origin_not_allowed', 1]);
    expect(
      await flow.database.member.findFirst({ where: { merchantId: merchant.id, memberId: 'carl' } }),
    ).toBeNull();
  });

  it('A code that was sent without a user hash is deleted, because the response does not say whether it was used', async () => {
    await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
    await page.goto(`${site.url}/?rh_code=${await codeOf('ann')}`);
    const unsigned = `Rewardhook.boot({ userId: 'bob' })`;
    expect(await page.evaluate(unsigned)).toEqual({
      verified: false,
      referralCode: null,
      shareLink: null,
      referrerLinked: null,
      link: 'unverified',
      noCodeReason: null,
    });
    expect(await referralOf('bob')).toMatchObject({ referrerMemberId: 'ann' });
    expect(await remembered()).toBeNull();
  });
});
