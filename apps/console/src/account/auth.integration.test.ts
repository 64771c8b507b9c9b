import supertest from 'supertest';
import { connectWorker, disconnect } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { findLink, startMailServer } from '@rewardhook/testing/mail';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import type { SessionView } from '../api-types.ts';
import { openLoginLimits, defaultLimits } from './login-limits.ts';
import { openPasswords } from './passwords.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

describe('Sign-up and sign-in', () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await openConsole(flow.environment);
  });
  afterAll(async () => {
    await running.close();
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

describe('The lock of an account', () => {
  /** The number of IP addresses that send wrong passwords, and the limit of one account per hour. */
  const addresses = 3;
  const limits = { ...defaultLimits, email: { points: 12, duration: 3_600 } };

  let running: RunningConsole;
  let redis: Redis;
  beforeAll(async () => {
    redis = connectWorker(flow.environment.redisUrl, testLog);
    await waitFor(() => redis.status === 'ready', { what: 'Redis' });
    const { prefix, secretsKey } = flow.environment;
    const open = openLoginLimits({ redis, prefix, secretsKey, limits });
    running = await openConsole(flow.environment, {}, { limits: open });
  });
  afterAll(async () => {
    await running.close();
    await disconnect(redis);
  });

  const statusOf = async (browser: ReturnType<RunningConsole['browser']>, email: string, password: string) =>
    (await browser.post('/sign-in', { email, password })).status;
  async function lockOut(email: string) {
    const statuses: number[] = [];
    for (let machine = 0; machine < addresses; machine += 1) {
      const browser = running.browser();
      const tries = Array.from({ length: 5 }, (_, index) => statusOf(browser, email, `guess ${index}`));
      statuses.push(...(await Promise.all(tries)));
    }
    expect(statuses.filter((status) => status === 401)).toHaveLength(limits.email.points);
    expect(statuses.at(-1)).toBe(429);
  }

  it('A locked account can sign in from a known browser; a command or a password reset unlocks it everywhere', async () => {
    const { browser: known, email } = await running.signUp();
    await known.post('/sign-out');
    await lockOut(email);
    const fresh = running.browser();
    expect(await statusOf(fresh, email, goodPassword)).toBe(429);
    expect(await statusOf(known, email, goodPassword)).toBe(200);
    const unlocked = await flow.admin('user unlock', { email: email.toUpperCase() });
    expect(unlocked).toMatchObject({ email, locksRemoved: 1 + addresses + 1 });
    expect(await statusOf(fresh, email, goodPassword)).toBe(200);
    await expect(flow.admin('user unlock', { email: 'nobody@shop.example' })).rejects.toThrow(
      'There is no console user with the address nobody@shop.example.',
    );
  });

  it('Wrong passwords from a known browser have their own limit, and the device cookie of another account is not accepted', async () => {
    const [mine, other] = [await running.signUp(), await running.signUp()];
    const { browser, email } = mine;
    const statuses = [];
    for (let tries = 0; tries < 11; tries += 1) statuses.push(await statusOf(browser, email, 'guess'));
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.at(-1)).toBe(429);
    expect(await statusOf(running.browser(), email, goodPassword)).toBe(200);
    // The cookie of one account does not make the browser known for another one.
    const { headers } = await other.browser.post('/sign-in', {
      email: other.email,
      password: goodPassword,
    });
    const [session = '', device = ''] = [headers['set-cookie']].flat();
    expect(session).toMatch(/^rewardhook=/);
    expect(device).toMatch(
      /^rewardhook-device-[\w-]{11}=[\w-]{22}\.[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
    );
    expect(device).not.toContain('owner');
    const { headers: own } = await running.browser().post('/sign-in', { email, password: goodPassword });
    const name = [own['set-cookie']].flat()[1]?.split('=')[0];
    const forged = `${name}=${device.split('=')[1]?.split(';')[0]}`;
    const thief = running.browser();
    for (let tries = 0; tries < 11; tries += 1)
      await thief.send('POST', '/sign-in', { email, password: 'guess' }, { cookie: forged });
    const last = await thief.send('POST', '/sign-in', { email, password: goodPassword }, { cookie: forged });
    expect(last.status).toBe(429);
  });
});

describe('A password that is changed after it was verified', () => {
  const next = 'a password that I remember';

  let running: RunningConsole;
  /** Runs between the verification of a password and its consequences. */
  let meanwhile: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const passwords = await openPasswords();
    const verify: typeof passwords.verify = async (passwordHash, password) => {
      const right = await passwords.verify(passwordHash, password);
      const happens = meanwhile;
      meanwhile = undefined;
      await happens?.();
      return right;
    };
    running = await openConsole(flow.environment, {}, { passwords: { ...passwords, verify } });
  });
  afterAll(async () => {
    await running.close();
  });

  /** A user whose password is changed right after it was verified. */
  async function openAccount() {
    const { browser, email } = await running.signUp();
    const { link } = (await flow.admin('user reset-password', { email })) as { link: string };
    meanwhile = async () => {
      const reset = await running.browser().post(new URL(link).pathname, { password: next });
      expect(reset.status).toBe(204);
    };
    return { browser, email };
  }
  const signIn = (email: string, password: string) => running.browser().post('/sign-in', { email, password });

  it('A password that is changed after it was verified does not sign a user in', async () => {
    const { email } = await openAccount();
    const thief = running.browser();
    expect((await thief.post('/sign-in', { email, password: goodPassword })).status).toBe(401);
    expect((await thief.get('/session')).status).toBe(401);
    expect((await signIn(email, next)).status).toBe(200);
  });

  it('A password that is changed after it was verified cannot change the password', async () => {
    const { browser, email } = await openAccount();
    const change = { current_password: goodPassword, new_password: "the thief's own password" };
    expect((await browser.post('/password', change)).status).toBe(401);
    expect((await signIn(email, change.new_password)).status).toBe(401);
    expect((await signIn(email, next)).status).toBe(200);
  });
});

describe('Verified e-mail addresses', () => {
  let running: RunningConsole;
  let count = 0;
  beforeAll(async () => {
    running = await openConsole(flow.environment);
  });
  afterAll(async () => {
    await running.close();
  });
  const newEmail = () => `stranger-${(count += 1)}@example.com`;
  const contact = (address: string | null) => ({ contact_email: address });

  it('A sign-up creates nothing before the link in its mail is opened, and the link works once', async () => {
    const email = newEmail();
    const body = { password: goodPassword, merchant_name: 'Tea shop' };
    const browser = running.browser();
    expect((await browser.post('/sign-up', { email, ...body })).status).toBe(202);
    const path = findLink(await running.mail.waitFor(email));
    expect(await flow.database.user.count({ where: { email } })).toBe(0);
    expect((await browser.post('/sign-in', { email, password: goodPassword })).status).toBe(401);
    expect((await browser.get(path)).data).toMatchObject({ email });
    const tries = await Promise.all([1, 2].map(() => running.browser().post(path, body)));
    expect(tries.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 404]);
    expect((await browser.post('/sign-in', { email, password: goodPassword })).status).toBe(200);
    const late = newEmail();
    await browser.post('/sign-up', { email: late });
    const over = findLink(await running.mail.waitFor(late));
    await flow.database.$executeRaw`UPDATE sign_ups SET expires_at = now()`;
    expect((await browser.post(over, body)).status).toBe(404);
  });

  it('A sign-up with a known address gets the same response as with an unknown one, and its owner is mailed that an account exists', async () => {
    const { email } = await running.signUp();
    const answers = [];
    for (const address of [email, newEmail()]) {
      const answer = await running.browser().post('/sign-up', { email: address });
      answers.push([answer.status, answer.text.replace(address, '…'), Object.keys(answer.headers)]);
    }
    expect(answers[0]).toEqual(answers[1]);
    const mail = await running.mail.waitFor(email, 2);
    expect(mail.headers.get('subject')).toBe(
      '[Rewardhook] 이미 가입된 이메일 주소 / You already have an account',
    );
    expect(findLink(mail)).toBe('/sign-in');
    const [queued] = await flow.database.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM sign_ups WHERE email = ${email}`;
    expect(queued?.count).toBe(0);
  });

  it('A password reset gets the same response for known and unknown addresses; its link works once and ends all sessions', async () => {
    const { email, browser } = await running.signUp();
    const stranger = newEmail();
    const visitor = running.browser();
    const forget = async (address: string) => {
      const answer = await visitor.post('/password-resets', { email: address });
      return [answer.status, answer.text.replace(address, '…')];
    };
    expect(await forget(email.toUpperCase())).toEqual([
      202,
      '{"data":{"mailed_to":"…"}}'.replace('…', email),
    ]);
    expect(await forget(stranger)).toEqual([202, '{"data":{"mailed_to":"…"}}']);
    const path = findLink(await running.mail.waitFor(email, 2));
    const next = 'a password that I remember';
    expect((await visitor.post(path, { password: next })).status).toBe(204);
    expect((await visitor.post(path, { password: next })).status).toBe(404);
    expect((await browser.get('/session')).status).toBe(401);
    expect((await visitor.post('/sign-in', { email, password: next })).status).toBe(200);
    expect(running.mail.sentTo(stranger)).toEqual([]);
    const statuses = [];
    for (let tries = 0; tries < 3; tries += 1) statuses.push((await forget(email))[0]);
    expect(statuses).toEqual([202, 202, 429]);
  });

  it('A contact address gets no notice before its link is opened; the previous one stays until then', async () => {
    const { browser, email, merchant } = await running.signUp('Tea\r\nBcc: evil@other.example shop');
    const stored = async () =>
      (await flow.database.merchant.findUniqueOrThrow({ where: { id: merchant.id } })).contactEmail;
    const own = await browser.send('PATCH', '/merchant', contact(email));
    expect(own.data).toMatchObject({ contact_email: email, contact_email_pending: null });
    const other = newEmail();
    const changed = await browser.send('PATCH', '/merchant', contact(other));
    expect(changed.data).toMatchObject({ contact_email: email, contact_email_pending: other });
    expect(await stored()).toBe(email);
    const mail = await running.mail.waitFor(other);
    expect(mail.headers.get('subject')).toBe(
      '[Rewardhook] 알림 받을 주소 확인 / Confirm the address for notifications',
    );
    expect(mail.text).toContain('Shop: Tea Bcc evil other example shop');
    expect((await browser.post('/merchant/contact-confirmation')).status).toBe(202);
    const path = findLink(await running.mail.waitFor(other, 2));
    const visitor = running.browser();
    expect((await visitor.get(findLink(mail))).status).toBe(404);
    expect((await visitor.get(path)).data).toMatchObject({ email: other });
    expect((await visitor.post(path)).status).toBe(204);
    expect((await visitor.post(path)).status).toBe(404);
    expect(await stored()).toBe(other);
  });

  it('An address that the mail server does not take is refused with the reason where it is entered', async () => {
    const email = '홍길동@shop.example';
    const { browser } = await running.signUp();
    expect((await browser.post('/team/invitations', { email, role: 'viewer' })).status).toBe(201);
    expect((await running.mail.waitFor(email)).to).toEqual([email]);
    const plain = await startMailServer({ hideSMTPUTF8: true, disabledCommands: ['STARTTLS', 'AUTH'] });
    const withoutUtf8 = await openConsole(flow.environment, { SMTP_URL: `smtp://127.0.0.1:${plain.port}` });
    try {
      const own = withoutUtf8.browser();
      const refused = await own.post('/sign-up', { email });
      expect([refused.status, refused.body.params]).toEqual([
        400,
        { email: expect.stringContaining('SMTPUTF8') },
      ]);
      const sent = await own.post('/sign-up', { email: 'tea@상점.example' });
      expect(sent.status).toBe(202);
      await waitFor(() => plain.received.length === 1, { what: 'the mail to a domain outside of ASCII' });
    } finally {
      await withoutUtf8.close();
      await plain.close();
    }
  });

  it('A stranger gets few mails, and none with a subject that a user has chosen', async () => {
    const victim = newEmail();
    const name = 'BUY NOW http://evil.example';
    const statuses: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { browser } = await running.signUp(name);
      for (let tries = 0; tries < 4; tries += 1) {
        statuses.push((await browser.post('/team/invitations', { email: victim, role: 'viewer' })).status);
        statuses.push((await browser.send('PATCH', '/merchant', contact(victim))).status);
        await browser.send('PATCH', '/merchant', contact(null));
        statuses.push((await browser.post('/sign-up', { email: victim })).status);
      }
    }
    expect(statuses.filter((status) => status < 300)).toHaveLength(15);
    expect(statuses.filter((status) => status === 429)).toHaveLength(9);
    const unsent = () => flow.database.accountMail.count({ where: { recipient: victim } });
    await waitFor(async () => (await unsent()) === 0, { what: 'the last mail' });
    const mails = running.mail.sentTo(victim);
    // Three sign-up mails; an invitation or contact address that was replaced before its mail was sent gets none.
    expect(mails.length).toBeGreaterThanOrEqual(3);
    expect(mails.length).toBeLessThanOrEqual(15);
    const said = mails.map(({ headers }) => headers.get('subject')).join();
    expect(said).not.toMatch(/BUY|evil/);
    expect(mails.map(({ text }) => text).join()).not.toContain('evil.example');
  });

  it('Links begin with the configured URL, regardless of the requested host', async () => {
    const email = newEmail();
    await running.browser().send('POST', '/sign-up', { email }, { host: 'evil.example' });
    const { text } = await running.mail.waitFor(email);
    expect(text.match(/https?:\/\/\S+/g)?.every((link) => link.startsWith('http://console.test/'))).toBe(
      true,
    );
  });

  it('A mail that the server refuses temporarily is stored and sent when it is due again', async () => {
    const email = newEmail();
    await flow.database.accountMail.create({
      data: { id: 'mail_left', kind: 'sign_up', recipient: email, attempts: 3, nextAt: new Date(0) },
    });
    // The next mail, or the sweeper of any console, also sends the mails that wait.
    await running.browser().post('/sign-up', { email: newEmail() });
    expect((await running.mail.waitFor(email)).headers.get('message-id')).toBe(
      '<mail_left@rewardhook.example>',
    );
  });

  it('Without mail, sign-up, invitations and resets are refused; the operator can create links', async () => {
    const closed = await openConsole(flow.environment, { SMTP_URL: '' });
    const { merchantId } = (await flow.admin('merchant create', { name: 'On premise' })) as {
      merchantId: string;
    };
    const email = newEmail();
    const { link } = (await flow.admin('merchant invite', { merchant: merchantId, email })) as {
      link: string;
    };
    const browser = closed.browser();
    const joined = await browser.post(`${new URL(link).pathname}/accept`, { password: goodPassword });
    expect((joined.data as SessionView).user.email).toBe(email);
    for (const [method, path, body] of [
      ['POST', '/sign-up', { email: newEmail() }],
      ['POST', '/password-resets', { email }],
      ['POST', '/team/invitations', { email: newEmail(), role: 'viewer' }],
      ['PATCH', '/merchant', contact(newEmail())],
    ] as const) {
      const answer = await browser.send(method, path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'mail_not_configured']);
    }
    expect((await browser.post('/sign-up', { email })).body.message).toMatch(
      /until the operator configures mail/,
    );
    await closed.close();
  });

  it('A new password that is easy to guess is refused, however long it is', async () => {
    const { browser, email } = await running.signUp();
    const { link } = (await flow.admin('user reset-password', { email })) as { link: string };
    const repeated = 'must not repeat the same characters or words';
    const own = 'must not be built from your e-mail address or the name of this product';
    const common = 'is easy to guess: use several words that do not belong together';
    for (const [password, problem] of [
      [' '.repeat(12), repeated],
      ['a'.repeat(256), repeated],
      ['passwordpassword', repeated],
      ['Rewardhook2026!', own],
      [email, own],
      ['password1234', common],
    ] as const) {
      const change = { current_password: goodPassword, new_password: password };
      expect((await browser.post('/password', change)).body.params).toEqual({ new_password: problem });
      const reset = await browser.post(new URL(link).pathname, { password });
      expect(reset.body.params).toEqual({ password: problem });
    }
  });
});
