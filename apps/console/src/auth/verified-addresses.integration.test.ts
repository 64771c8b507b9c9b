import { findLink, startMailServer } from '@rewardhook/testing/mail';
import { waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { goodPassword, openConsole } from '../../testing/open-console.ts';
import type { RunningConsole } from '../../testing/open-console.ts';
import type { SessionView } from '../api-types.ts';

describe('Verified e-mail addresses', () => {
  let flow: Flow;
  let running: RunningConsole;
  let count = 0;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    running = await openConsole(flow.environment);
  });
  afterAll(async () => {
    await running.close();
    await flow.close();
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
