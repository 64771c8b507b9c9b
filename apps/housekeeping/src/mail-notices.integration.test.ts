import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { EndpointNoticeData } from '@rewardhook/contract';
import { openDatabase } from '@rewardhook/database';
import type { Database } from '@rewardhook/database';
import { mailDelaySeconds, openMailer } from '@rewardhook/mail';
import { createLogger, openMetrics } from '@rewardhook/process';
import { createTestDatabase } from '@rewardhook/testing/servers';
import { scaled, waitFor } from '@rewardhook/testing';
import { startMailServer } from '@rewardhook/testing/mail';
import type { MailServer } from '@rewardhook/testing/mail';
import type { TestDatabase } from '@rewardhook/testing/servers';
import type { SMTPServerOptions } from 'smtp-server';
import type { NoticeSettings } from './environment.ts';
import { mailNotices, openNoticeMail } from './mail-notices.ts';
import type { MailOutcome } from './mail-notices.ts';

const data: EndpointNoticeData = {
  endpoint: { id: 'whk_1', url: 'https://user:pa55@shop.example/hooks?token=s3cret' },
  failing_since: '2026-11-21T03:52:00.000Z',
  failures_in_a_row: 12,
  disabled_at: '2026-11-26T03:52:00.000Z',
  reason: 'It answered 503.',
};
const operatorEmail = 'ops@rewardhook.example';
const from = 'notices@rewardhook.example';

describe('The mail about failing endpoints', () => {
  let postgres: TestDatabase;
  let databases: [Database, Database];
  let database: Database;
  let server: MailServer | undefined;
  let lines: string[];
  let outcomes: MailOutcome[];
  const log = createLogger('test', 'debug');
  for (const transport of log.transports) transport.silent = true;
  log.on('data', (line: object) => lines.push(JSON.stringify(line)));

  beforeAll(async () => {
    postgres = await createTestDatabase();
    const open = () => openDatabase({ url: postgres.url, poolSize: 2, applicationName: 'notices test' });
    databases = [open(), open()];
    [database] = databases;
  });
  beforeEach(() => void ([lines, outcomes] = [[], []]));
  afterEach(async () => {
    await server?.close();
    server = undefined;
    await database.$executeRaw`TRUNCATE notices, merchants CASCADE`;
  });
  afterAll(async () => {
    await Promise.all(databases.map((one) => one.$disconnect()));
    await postgres.drop();
  });

  async function addNotices(
    count: number,
    merchant: { name?: string; contactEmail?: string | null } = {},
    notice = {},
  ) {
    const merchantId = 'mer_1';
    await database.merchant.create({
      data: {
        id: merchantId,
        name: 'Tea shop',
        identitySecret: 'sealed',
        contactEmail: 'tea@shop.example',
        ...merchant,
      },
    });
    await database.notice.createMany({
      data: Array.from({ length: count }, (_, index) => ({
        merchantId,
        id: `ntc_${index}`,
        endpointId: 'whk_1',
        type: 'endpoint.failing',
        data: { ...data },
        ...notice,
      })),
    });
  }
  const serve = async (options?: SMTPServerOptions) => (server = await startMailServer(options));
  const sweep = (options: { operatorEmail?: string; of?: Database; port?: number } = {}) =>
    mailNotices({
      database: options.of ?? database,
      mailer: openMailer({ url: `smtp://127.0.0.1:${options.port ?? server?.port}`, from }),
      operatorEmail: options.operatorEmail,
      periodSeconds: 3_600,
      consoleUrl: 'https://console.example',
      stop: new AbortController().signal,
      cancel: new AbortController().signal,
      log,
      observe: (outcome) => outcomes.push(outcome),
    });
  const findNotice = () => database.notice.findFirstOrThrow();
  const makeDue = async () => {
    await database.notice.updateMany({ data: { mailNextAt: new Date(0) } });
    await database.merchant.updateMany({ data: { nextDigestAt: new Date(0) } });
  };
  const refuseWith = (codes: number[], only = '@'): SMTPServerOptions => ({
    onRcptTo({ address }, _session, done) {
      const responseCode = address.includes(only) ? codes.shift() : undefined;
      done(responseCode ? Object.assign(new Error(`no ${address}`), { responseCode }) : null);
    },
  });

  it('is one mail for all notices of a merchant, also when several workers sweep at the same time', async () => {
    const { received } = await serve();
    await addNotices(12);
    await Promise.all(databases.flatMap((of) => [sweep({ of })(), sweep({ of })()]));
    expect(received.map(({ headers }) => headers.get('subject'))).toEqual([
      '[Rewardhook] 웹훅 알림 12건 / 12 webhook notices',
    ]);
    expect(received[0]?.headers.get('message-id')).toBe('<ntc_0.merchant@rewardhook.example>');
    expect(await database.notice.count({ where: { mailedAt: null } })).toBe(0);
  });

  it('leaves later notices to the digest of the next period', async () => {
    const { received } = await serve();
    await addNotices(1);
    await sweep()();
    await database.notice.updateMany({ data: { mailedAt: null, mailNextAt: new Date(0) } });
    await sweep()();
    expect(received).toHaveLength(1);
    const [merchant] = await database.merchant.findMany();
    const wait = Number(merchant?.nextDigestAt) - Date.now();
    expect(wait).toBeGreaterThan(3_500_000);
    await makeDue();
    await sweep()();
    expect(received).toHaveLength(2);
  });

  it('is sent to the merchant, and a copy to the operator', async () => {
    const { received } = await serve();
    await addNotices(1);
    await sweep({ operatorEmail })();
    expect(received.map(({ to }) => to)).toEqual([['tea@shop.example'], [operatorEmail]]);
    expect(received[0]?.headers.get('subject')).toBe('[Rewardhook] 웹훅 전송 실패 / Webhook failing');
    expect([...(received[0]?.headers.values() ?? [])].join()).not.toMatch(/pa55|s3cret|ops@/);
  });

  it('is sent only to the operator where the merchant has no address, and is not sent without an operator address', async () => {
    const { received } = await serve();
    await addNotices(1, { contactEmail: null });
    await sweep({ operatorEmail })();
    expect(received.map(({ to }) => to)).toEqual([[operatorEmail]]);
    await database.notice.updateMany({ data: { mailedAt: null } });
    await makeDue();
    await sweep()();
    expect(received).toHaveLength(1);
    expect(outcomes).toEqual(['sent', 'unwanted']);
    expect((await findNotice()).mailedAt).not.toBeNull();
  });

  it('is retried after a minute when the server rejects it temporarily', async () => {
    const { received } = await serve(refuseWith([451]));
    await addNotices(1);
    await sweep({ operatorEmail })();
    const notice = await findNotice();
    expect(notice).toMatchObject({ mailedAt: null, mailAttempts: 1 });
    const delay = Number(notice.mailNextAt) - Date.now();
    expect(delay).toBeGreaterThan(50_000);
    expect(delay).toBeLessThanOrEqual(61_000);
    await sweep({ operatorEmail })();
    expect(received).toEqual([]);

    await makeDue();
    await sweep({ operatorEmail })();
    expect(received).toHaveLength(2);
    expect(outcomes).toEqual(['postponed', 'sent']);
    expect((await findNotice()).mailedAt).not.toBeNull();
  });

  it('is retried with growing delays of at most an hour', () => {
    expect([1, 2, 3, 6, 7, 50].map(mailDelaySeconds)).toEqual([60, 120, 240, 1_920, 3_600, 3_600]);
  });

  it('is dropped and logged after a day, or at once when the recipient is rejected permanently', async () => {
    const { received } = await serve(refuseWith([550], 'tea@'));
    await addNotices(1);
    await sweep({ operatorEmail })();
    expect(received.map(({ to }) => to)).toEqual([[operatorEmail]]);
    expect((await findNotice()).mailedAt).not.toBeNull();

    const createdAt = new Date(Date.now() - 86_400_000);
    await database.notice.updateMany({ data: { mailedAt: null, createdAt } });
    await makeDue();
    await server?.close();
    await sweep()();
    expect((await findNotice()).mailedAt).not.toBeNull();
    expect(outcomes).toEqual(['given_up', 'given_up']);
    expect(lines.filter((line) => line.includes('is dropped'))).toHaveLength(2);
    expect(lines.join()).not.toContain('tea@shop.example');
  });

  it("is complete when only the operator's copy fails, so that the merchant gets it once", async () => {
    const { received } = await serve(refuseWith([451], operatorEmail));
    await addNotices(1);
    await sweep({ operatorEmail })();
    expect(received.map(({ to }) => to)).toEqual([['tea@shop.example']]);
    expect((await findNotice()).mailedAt).not.toBeNull();
    expect(lines.join()).toContain("operator's copy");
  });

  it('gets no extra header from the name of a merchant or a URL', async () => {
    const { received } = await serve();
    const evil = 'Tea\r\nBcc: evil@other.example\r\n\r\nshop\u0000\u2028';
    const endpoint = { id: 'whk_1', url: 'https://shop.example/\r\nX-Evil: 1' };
    await addNotices(
      1,
      { name: evil.replace('\0', '') },
      { data: { ...data, endpoint, reason: 'x\r\nX-Evil: 1' } },
    );
    await sweep()();
    expect(received.map(({ to }) => to)).toEqual([['tea@shop.example']]);
    const headers = received[0]?.headers ?? new Map<string, string>();
    expect([...headers.keys()].filter((name) => /bcc|evil/.test(name))).toEqual([]);
    expect(headers.get('subject')).toBe('[Rewardhook] 웹훅 전송 실패 / Webhook failing');
  });

  describe('as a task', () => {
    const open = (settings: NoticeSettings) =>
      openNoticeMail(settings, database, { log, metrics: openMetrics() });
    const { signal } = new AbortController();

    it('is skipped where no mail is configured, and the notices are marked as mailed', async () => {
      await addNotices(2);
      await open({ NOTICE_OPERATOR_EMAIL: operatorEmail })(signal);
      expect(await database.notice.count({ where: { mailedAt: null } })).toBe(0);
    });

    it('is sent', async () => {
      const { received, port } = await serve();
      await addNotices(1);
      await open({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: from })(signal);
      expect(received).toHaveLength(1);
      expect((await findNotice()).mailedAt).not.toBeNull();
    });

    it('does not delay the shutdown when the server never answers, and is due again at once', async () => {
      const sockets: Socket[] = [];
      const unresponsive = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
      await new Promise<void>((resolve) => void unresponsive.listen(0, '127.0.0.1', resolve));
      await addNotices(2);
      const { port } = unresponsive.address() as AddressInfo;
      const stopping = new AbortController();
      const run = open({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: from });
      const running = run(stopping.signal);
      await waitFor(() => sockets.length === 1);
      const started = performance.now();
      stopping.abort();
      await running;
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => unresponsive.close(resolve));
      expect(performance.now() - started).toBeLessThan(scaled(3_000));
      const due = { mailedAt: null, mailAttempts: 0, mailNextAt: { lte: new Date() } };
      expect(await database.notice.count({ where: due })).toBe(2);
    });
  });
});
