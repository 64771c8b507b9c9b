import supertest from 'supertest';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import type { SessionView } from '../api-types.ts';

describe('Sign-up and sign-in', () => {
  let flow: Flow;
  let running: RunningConsole;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    running = await openConsole(flow.environment);
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
  });

  it('A sign-up creates a merchant with valid keys, and the user can sign out and in', async () => {
    const { browser, email, merchant } = await running.signUp('Tea shop');
    const accepted = await flow.sync(merchant, buildOrder());
    expect(accepted).toBeUndefined();
    expect(merchant.publicKey).toMatch(/^svc_pk_/);
    expect(merchant.signingSecret).toMatch(/^whsec_/);
    const session = (await browser.get('/session')).data as SessionView;
    expect(session).toMatchObject({
      user: { email },
      role: 'owner',
      merchant: { id: merchant.id, name: 'Tea shop', timezone: 'Asia/Seoul' },
      merchants: [{ id: merchant.id, role: 'owner' }],
      api_url: 'https://share.example',
    });
    expect((await browser.post('/sign-out')).status).toBe(204);
    expect(await browser.get('/session')).toMatchObject({ status: 401, body: { code: 'login_required' } });
    const back = await browser.post('/sign-in', {
      email: email.toUpperCase(),
      password: goodPassword,
    });
    expect([back.status, back.data]).toEqual([200, session]);
    expect((await browser.get('/session')).status).toBe(200);
  });

  it('An unknown e-mail address and a wrong password get the same response in the same time', async () => {
    const { email } = await running.signUp();
    const ask = async (given: object) => {
      const started = performance.now();
      const { status, body } = await running.browser().post('/sign-in', given);
      return { status, code: body.code, message: body.message, ms: performance.now() - started };
    };
    const wrong = await ask({ email, password: 'not the password' });
    const unknown = await ask({ email: 'nobody@example.com', password: 'not the password' });
    expect({ ...unknown, ms: 0 }).toEqual({ ...wrong, ms: 0 });
    expect(wrong).toMatchObject({ status: 401, code: 'wrong_credentials' });
    // Both compute one hash of about 30 ms; without it the response would take about 3 ms.
    expect(unknown.ms).toBeGreaterThan(10);
  });

  it('A user can create another merchant and switch between both', async () => {
    const { browser, merchant } = await running.signUp('First');
    const more = { merchant_name: 'Second', timezone: 'Europe/Berlin' };
    const second = (await browser.post('/merchants', more)).data as { session: SessionView };
    expect(second.session.merchants.map(({ name }) => name)).toEqual(['First', 'Second']);
    expect(second.session.merchant).toMatchObject({ name: 'Second', timezone: 'Europe/Berlin' });
    const moved = await browser.post('/session/merchant', { merchant_id: merchant.id });
    expect((moved.data as SessionView).merchant.name).toBe('First');
    expect(((await browser.get('/session')).data as SessionView).merchant.name).toBe('First');
    const other = await running.signUp();
    expect((await browser.post('/session/merchant', { merchant_id: other.merchant.id })).status).toBe(404);
  });

  it('A change for a merchant that the session no longer has selected is refused', async () => {
    const { browser, merchant } = await running.signUp('First');
    await browser.post('/merchants', { merchant_name: 'Second' });
    const rename = (shown: string) =>
      browser.send('PATCH', '/merchant', { name: 'Renamed' }, { 'x-rewardhook-merchant': shown });
    const late = await rename(merchant.id);
    expect([late.status, late.body.code]).toEqual([409, 'merchant_changed']);
    const { merchant: now } = (await browser.get('/session')).data as SessionView;
    expect(now.name).toBe('Second');
    expect((await rename(now.id)).status).toBe(200);
  });

  it('A session is the SHA-256 of a random id in an HttpOnly cookie that changes at each sign-in', async () => {
    const { browser, email } = await running.signUp();
    const signIn = () => browser.post('/sign-in', { email, password: goodPassword });
    const cookieOf = (answer: { headers: Record<string, string> }) =>
      [answer.headers['set-cookie']].flat()[0] ?? '';
    const first = cookieOf(await signIn());
    expect(first).toMatch(/^rewardhook=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/);
    const id = /=([\w-]{43});/.exec(first)?.[1] as string;
    const stored = JSON.stringify(
      await flow.database.$queryRaw`SELECT encode(id_sha256, 'base64') AS id FROM sessions`,
    );
    expect(stored).not.toContain(id.slice(0, 20));
    expect(cookieOf(await signIn())).not.toBe(first);
    const old = await supertest(running.url).get('/api/console/session').set('cookie', `rewardhook=${id}`);
    expect(old.status).toBe(401);
    const safe = await openConsole(flow.environment, { CONSOLE_PUBLIC_URL: 'https://console.test' });
    const secure = await safe.browser().post('/sign-in', { email, password: goodPassword });
    expect(cookieOf(secure)).toMatch(/^__Host-rewardhook=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(secure.headers['strict-transport-security']).toBe('max-age=31536000');
    await safe.close();
  });

  it('A session ends after 12 hours without a request, and after 30 days at the latest', async () => {
    const { browser, merchant } = await running.signUp();
    const age = (interval: string) =>
      flow.database.$executeRawUnsafe(
        `UPDATE sessions SET created_at = created_at - interval '${interval}', last_seen_at = last_seen_at - interval '1 hour',
         expires_at = expires_at - interval '1 hour' WHERE merchant_id = '${merchant.id}'`,
      );
    const hoursLeft = async () => {
      const [row] = await flow.database.$queryRawUnsafe<{ hours: number }[]>(
        `SELECT extract(epoch FROM expires_at - now())::float8 / 3600 AS hours FROM sessions WHERE merchant_id = '${merchant.id}'`,
      );
      return Math.round(row?.hours ?? 0);
    };
    await age('1 hour');
    expect(await hoursLeft()).toBe(11);
    expect((await browser.get('/session')).status).toBe(200);
    expect(await hoursLeft()).toBe(12);
    await age('29 days 20 hours');
    expect((await browser.get('/session')).status).toBe(200);
    expect(await hoursLeft()).toBeLessThanOrEqual(3);
    await flow.database
      .$executeRaw`UPDATE sessions SET expires_at = now() WHERE merchant_id = ${merchant.id}`;
    expect((await browser.get('/session')).status).toBe(401);
  });

  it('A change of the password needs the current one and ends all other sessions of the user', async () => {
    const { browser, email } = await running.signUp();
    const elsewhere = running.browser();
    await elsewhere.post('/sign-in', { email, password: goodPassword });
    expect((await elsewhere.get('/session')).status).toBe(200);
    const next = 'another long pass phrase';
    const change = (current: string, chosen = next) =>
      browser.post('/password', { current_password: current, new_password: chosen });
    expect((await change('wrong')).body.code).toBe('wrong_credentials');
    expect((await change(goodPassword, 'short')).body.params).toHaveProperty('new_password');
    expect((await change(goodPassword)).status).toBe(204);
    expect((await browser.get('/session')).status).toBe(200);
    expect((await elsewhere.get('/session')).status).toBe(401);
    expect((await elsewhere.post('/sign-in', { email, password: goodPassword })).status).toBe(401);
    expect((await elsewhere.post('/sign-in', { email, password: next })).status).toBe(200);
  });

  it('A reset link of the operator sets a password once and ends all sessions', async () => {
    const { browser, email } = await running.signUp();
    const link = async () =>
      String((await flow.admin('user reset-password', { email: email.toUpperCase() }))['link']);
    const replaced = new URL(await link());
    const { pathname } = new URL(await link());
    const stranger = running.browser();
    expect((await stranger.get(replaced.pathname)).status).toBe(404);
    expect((await stranger.get(pathname)).data).toMatchObject({ email });
    const next = 'a password that I remember';
    expect((await stranger.post(pathname, { password: 'short' })).body.params).toHaveProperty('password');
    const tries = await Promise.all([1, 2].map(() => running.browser().post(pathname, { password: next })));
    expect(tries.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([204, 404]);
    expect((await browser.get('/session')).status).toBe(401);
    expect((await stranger.post('/sign-in', { email, password: goodPassword })).status).toBe(401);
    expect((await stranger.post('/sign-in', { email, password: next })).status).toBe(200);

    const late = new URL(await link()).pathname;
    await flow.database.$executeRaw`UPDATE password_resets SET expires_at = now()`;
    expect((await stranger.post(late, { password: goodPassword })).status).toBe(404);
    const stored = await flow.database
      .$queryRaw`SELECT encode(token_sha256, 'hex') AS kept FROM password_resets`;
    expect(JSON.stringify(stored)).not.toContain(late.split('/').at(-1));
    await expect(flow.admin('user reset-password', { email: 'nobody@shop.example' })).rejects.toThrow(
      'There is no console user with the address nobody@shop.example.',
    );
  });

  it('A change that does not come from the page itself is refused', async () => {
    const { browser, email } = await running.signUp();
    const body = { email, password: goodPassword };
    const send = (headers: Record<string, string>) => browser.send('POST', '/sign-in', body, headers);
    const refused = [
      await send({ 'x-rewardhook-console': '' }),
      await send({ origin: 'https://evil.example' }),
      await send({ origin: 'null' }),
      await send({ 'sec-fetch-site': 'cross-site' }),
      await send({ 'sec-fetch-site': 'same-site' }),
    ];
    expect(refused.map(({ status, body: { code } }) => [status, code])).toEqual(
      refused.map(() => [403, 'csrf_refused']),
    );
    const bare = await supertest(running.url).post('/api/console/sign-out').set('x-rewardhook-console', '1');
    expect(bare.status).toBe(403);
    expect((await send({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await send({ origin: running.url })).status).toBe(200);
  });

  it('The error of a form names each bad field, and a body that is not a form is refused', async () => {
    const browser = running.browser();
    expect((await browser.post('/sign-up', { email: 'no' })).body.params).toHaveProperty('email');
    const bad = await browser.post('/sign-ups/nobody', { password: 'short', timezone: 'Mars/Base' });
    expect([bad.status, Object.keys(bad.body.params ?? {}).toSorted()]).toEqual([
      400,
      ['merchant_name', 'password', 'timezone'],
    ]);
    expect((await browser.post('/sign-in', '[1')).body).toMatchObject({ code: 'invalid_request' });
    expect((await browser.get('/nowhere')).body).toMatchObject({ code: 'not_found' });
    const method = await browser.send('PUT', '/session');
    expect([method.status, method.headers['allow']]).toEqual([405, 'GET']);
  });
});
