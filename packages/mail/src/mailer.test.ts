import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { SMTPServerOptions } from 'smtp-server';
import { scaled } from '@rewardhook/testing';
import { selfSigned } from '@rewardhook/testing/hostile-receiver';
import { startMailServer } from '@rewardhook/testing/mail';
import type { MailServer } from '@rewardhook/testing/mail';
import { MailFailure } from './mail-failure.ts';
import { openMailer } from './mailer.ts';
import type { MailerOptions } from './mailer.ts';

const content = { subject: 'Webhook failing', text: 'text', html: '<p>html</p>' };
const from = 'Rewardhook <notices@rewardhook.example>';
const login = 'mailer:p%40ss-w%C3%B6rd';
const password = 'p@ss-wörd';
const { key, cert } = selfSigned();

describe('The mailer', () => {
  let server: Pick<MailServer, 'port' | 'received' | 'errors' | 'close'>;
  let attempts: string[];
  beforeEach(() => void (attempts = []));
  afterEach(() => server.close());

  const withLogin: SMTPServerOptions = {
    key,
    cert,
    authOptional: false,
    onAuth(auth, _session, done) {
      const given = String(auth.password);
      attempts.push(given);
      if (given === password) return done(null, { user: auth.username });
      done(new Error(`no ${given} for ${Buffer.from(given).toString('base64')}`));
    },
  };
  const send = (url: string, options: Partial<MailerOptions> = {}, to = 'tea@shop.example') =>
    openMailer({ url, from, ...options }).send({ to, id: 'ntc_1', content }, new AbortController().signal);
  const failure = async (sending: Promise<void>) => {
    const error: unknown = await sending.then(
      () => undefined,
      (cause: unknown) => cause,
    );
    if (!(error instanceof MailFailure)) throw new Error('it did not fail');
    return error;
  };

  it('sends a mail with a stable Message-ID and asks automatic responders not to reply', async () => {
    server = await startMailServer();
    await send(`smtp://127.0.0.1:${server.port}`);
    const [mail] = server.received;
    expect(mail).toMatchObject({ to: ['tea@shop.example'], secure: false, user: undefined });
    expect(Object.fromEntries(mail?.headers ?? [])).toMatchObject({
      from,
      to: 'tea@shop.example',
      subject: content.subject,
      'message-id': '<ntc_1@rewardhook.example>',
      'auto-submitted': 'auto-generated',
    });
  });

  it('sends no password to a server without TLS', async () => {
    server = await startMailServer({ ...withLogin, disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    const { permanent } = await failure(send(`smtp://${login}@127.0.0.1:${server.port}`));
    expect(permanent).toBe(false);
    expect([attempts, server.received]).toEqual([[], []]);
  });

  it('sends a password over STARTTLS only with a trusted certificate', async () => {
    server = await startMailServer({ ...withLogin, disabledCommands: [] });
    const url = `smtp://${login}@127.0.0.1:${server.port}`;
    expect((await failure(send(url))).message).toMatch(/self-signed certificate/);
    expect(attempts).toEqual([]);
    await send(url, { ca: [cert] });
    expect(server.received).toMatchObject([{ secure: true, user: 'mailer' }]);
  });

  it('uses the TLS that a server without a login offers, with any certificate', async () => {
    server = await startMailServer({ key, cert, disabledCommands: ['AUTH'] });
    await send(`smtp://127.0.0.1:${server.port}`);
    expect(server.received).toMatchObject([{ secure: true }]);
  });

  it('begins with TLS for smtps and requires a trusted certificate', async () => {
    server = await startMailServer({ key, cert, secure: true, disabledCommands: ['AUTH'] });
    const url = `smtps://127.0.0.1:${server.port}`;
    expect((await failure(send(url))).message).toMatch(/self-signed certificate/);
    await send(url, { ca: [cert] });
    expect(server.received).toMatchObject([{ secure: true }]);
  });

  it('reports a wrong password without repeating it, even when the server repeats it', async () => {
    server = await startMailServer({ ...withLogin, disabledCommands: [] });
    const { message, permanent } = await failure(
      send(`smtp://mailer:wr0ng%2Fpass@127.0.0.1:${server.port}`, { ca: [cert] }),
    );
    expect(attempts).toEqual(['wr0ng/pass']);
    expect(message).toMatch(/^EAUTH: .*535.*no … for …/);
    expect(permanent).toBe(false);
  });

  it('distinguishes a recipient that is rejected permanently from one that is rejected for now', async () => {
    const codes = [450, 550];
    server = await startMailServer({
      onRcptTo: (_address, _session, done) =>
        done(Object.assign(new Error('no tea@shop.example'), { responseCode: codes.shift() })),
    });
    const url = `smtp://127.0.0.1:${server.port}`;
    expect((await failure(send(url))).permanent).toBe(false);
    const refused = await failure(send(url));
    expect(refused.permanent).toBe(true);
    expect(refused.message).not.toContain('tea@shop.example');
  });

  it('sends to letters outside of ASCII before the @ only where the server offers SMTPUTF8, also after TLS and login', async () => {
    const [to, domain] = ['홍길동@shop.example', 'tea@상점.example'];
    for (const hideSMTPUTF8 of [true, false]) {
      server = await startMailServer({ ...withLogin, disabledCommands: [], hideSMTPUTF8 });
      const url = `smtp://${login}@127.0.0.1:${server.port}`;
      const mailer = openMailer({ url, from, ca: [cert] });
      expect([await mailer.accepts(to), await mailer.accepts(domain)]).toEqual([!hideSMTPUTF8, true]);
      const sending = send(url, { ca: [cert] }, to);
      if (hideSMTPUTF8) {
        const { permanent, message } = await failure(sending);
        expect([permanent, message]).toEqual([true, expect.stringContaining('SMTPUTF8')]);
      } else await sending;
      expect(server.received.map(({ to: recipients }) => recipients)).toEqual(hideSMTPUTF8 ? [] : [[to]]);
      if (hideSMTPUTF8) await server.close();
    }
  });

  it('does not say what a server takes that cannot be reached', async () => {
    server = await startMailServer();
    const { port } = server;
    await server.close();
    server = await startMailServer();
    const { permanent } = await failure(
      openMailer({ url: `smtp://127.0.0.1:${port}`, from })
        .accepts('홍길동@shop.example')
        .then(() => undefined),
    );
    expect(permanent).toBe(false);
  });

  it.each([
    'no address',
    'a@shop.example, b@other.example',
    'a@shop.example\r\nBcc: b@other.example',
    'x <b@other.example>',
  ])('sends a mail to %j to one address at most', async (to) => {
    server = await startMailServer();
    await send(`smtp://127.0.0.1:${server.port}`, {}, to).catch(() => undefined);
    const [mail] = server.received;
    expect(mail?.to.length ?? 0).toBeLessThanOrEqual(1);
    expect([...(mail?.headers.keys() ?? [])]).not.toContain('bcc');
  });

  it.each([
    ['nothing', () => undefined],
    [
      'a greeting that never ends',
      (socket: Socket) => {
        const drip = setInterval(() => socket.write('220-wait\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      },
    ],
  ])('waits no longer than its deadline for a server that sends %s', async (_, behave) => {
    const sockets = new Set<Socket>();
    const unresponsive = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      behave(socket);
    });
    await new Promise<void>((resolve) => void unresponsive.listen(0, '127.0.0.1', resolve));
    server = {
      port: (unresponsive.address() as AddressInfo).port,
      received: [],
      errors: [],
      close: async () => {
        sockets.forEach((socket) => socket.destroy());
        await new Promise((resolve) => unresponsive.close(resolve));
      },
    };
    const started = performance.now();
    expect((await failure(send(`smtp://127.0.0.1:${server.port}`, { deadlineMs: 300 }))).permanent).toBe(
      false,
    );
    expect(performance.now() - started).toBeLessThan(scaled(3_000));
  });
});
