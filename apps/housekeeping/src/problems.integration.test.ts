import { recordProblems } from '@rewardhook/database/operations';
import type { FoundProblem } from '@rewardhook/database/operations';
import { startReceiver } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { startMailServer } from '@rewardhook/testing/mail';
import type { MailServer } from '@rewardhook/testing/mail';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import { testLog, testLog as log } from '../../../tests/harness/test-log.ts';
import { openProblemMail } from './mail-problems.ts';
import { openProblemReports } from './report-problems.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

describe('A mail about problems', () => {
  let server: MailServer;
  beforeEach(async () => {
    server = await startMailServer();
    await flow.database.$executeRaw`TRUNCATE problems, notices, merchants, users CASCADE`;
    await flow.database.merchant.create({
      data: { id: 'mer_1', name: 'Kim & Sons', identitySecret: '', contactEmail: 'shop@example.com' },
    });
  });
  afterEach(() => server.close());

  const failing: FoundProblem = {
    merchantId: 'mer_1',
    kind: 'webhook_failing',
    subject: 'whk_1',
    number: 7,
    error: 'status 500',
  };
  const open = (...problems: FoundProblem[]) =>
    recordProblems(flow.database, problems, { kinds: [], findings: [] });
  const mail = (settings = {}) =>
    openProblemMail(
      {
        SMTP_URL: `smtp://127.0.0.1:${server.port}`,
        MAIL_FROM: 'notices@rewardhook.example',
        CONSOLE_PUBLIC_URL: 'https://console.example',
        ...settings,
      },
      { database: flow.database, log: testLog as never },
    )(new AbortController().signal);
  const recipients = () => server.received.flatMap(({ to }) => to);
  const mailedTo = async () => {
    const rows = await flow.database.problem.findMany({ orderBy: { openedAt: 'asc' } });
    return rows.map((row) => row.mailedTo);
  };
  const addOwner = (id: string, email: string) =>
    flow.database.user.create({
      data: { id, email, passwordHash: '', memberships: { create: { merchantId: 'mer_1', role: 'owner' } } },
    });

  it('goes to the confirmed contact at once, and further ones wait for an hour', async () => {
    await open(failing);
    await mail();
    await mail();
    expect(recipients()).toEqual(['shop@example.com']);
    const text = server.received[0]?.text;
    for (const part of [
      '웹훅 전송이 계속 실패합니다',
      'A webhook keeps failing',
      'Kim & Sons',
      'whk_1',
      'status 500',
    ])
      expect(text).toContain(part);
    await open({ ...failing, kind: 'referrals_to_review', subject: '', number: 2, error: null });
    await mail();
    expect(await mailedTo()).toEqual(['contact', null]);
    await flow.database.merchant.updateMany({ data: { nextDigestAt: new Date() } });
    await mail();
    expect(await mailedTo()).toEqual(['contact', 'contact']);
  });

  it('goes to the owners of the team without a contact, then to the operator, else the problem says none', async () => {
    await flow.database.merchant.updateMany({ data: { contactEmail: null } });
    await open(failing);
    await mail();
    expect([recipients(), await mailedTo()]).toEqual([[], ['none']]);

    const again = () => flow.database.$executeRaw`UPDATE problems SET mailed_at = NULL, mailed_to = NULL`;
    await again();
    await flow.database.merchant.updateMany({ data: { nextDigestAt: new Date() } });
    await mail({ NOTICE_OPERATOR_EMAIL: 'ops@example.com' });
    expect([recipients(), await mailedTo()]).toEqual([['ops@example.com'], ['operator']]);

    await again();
    await flow.database.merchant.updateMany({ data: { nextDigestAt: new Date() } });
    await addOwner('usr_1', 'ann@example.com');
    await addOwner('usr_2', 'bob@example.com');
    await mail({ NOTICE_OPERATOR_EMAIL: 'ops@example.com' });
    expect(recipients().slice(1)).toEqual(['ann@example.com', 'bob@example.com']);
    expect(await mailedTo()).toEqual(['owners']);
    expect((await flow.admin('doctor', {}))['problems']).toMatchObject([{ mailed_to: 'owners' }]);
  });

  it('about findings goes to the operator only', async () => {
    await open({ merchantId: '', kind: 'finding', subject: 'redisFull', number: 1, error: null });
    await mail({ NOTICE_OPERATOR_EMAIL: 'ops@example.com' });
    expect(recipients()).toEqual(['ops@example.com']);
    expect(server.received[0]?.text).toContain('redisFull');
  });

  it('is not written about a webhook of which a notice is mailed', async () => {
    await flow.database.notice.create({
      data: { merchantId: 'mer_1', id: 'ntc_1', endpointId: 'whk_1', type: 'endpoint.failing', data: {} },
    });
    await open(failing);
    await mail();
    expect([recipients(), await mailedTo()]).toEqual([[], [null]]);
  });

  it('is recorded as mailed to nobody where no mail is configured', async () => {
    await open(failing);
    await mail({ SMTP_URL: undefined });
    expect(await mailedTo()).toEqual(['none']);
  });
});

describe("The operator's URL", () => {
  const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;
  let receiver: Receiver;
  let status: number;
  beforeAll(async () => {
    receiver = await startReceiver({ signingSecret: secret, respond: () => status });
    await flow.database.merchant.create({ data: { id: 'mer_2', name: 'Shop', identitySecret: '' } });
  });
  beforeEach(async () => {
    status = 204;
    receiver.received.length = 0;
    await flow.database.$executeRaw`TRUNCATE problems`;
    const problem = { merchantId: 'mer_2', kind: 'webhook_failing', subject: 'whk_1', number: 7 } as const;
    const failing = { failures: 5, oldestAt: '2026-11-27T06:12:01.123456Z', error: 'status 500' };
    await recordProblems(flow.database, [{ ...problem, ...failing }], { kinds: [], findings: [] });
  });
  afterAll(async () => {
    await receiver.close();
  });

  const report = (url = `${receiver.url}/problems`) =>
    openProblemReports(
      { database: flow.database, log: log as never },
      { url, secret },
    )(new AbortController().signal);
  const row = () => flow.database.problem.findFirstOrThrow();

  it('gets a signed event for a problem that opens, once, on a private address too', async () => {
    await report();
    await report();
    const [webhook, ...others] = receiver.received;
    expect(others).toEqual([]);
    expect(webhook).toMatchObject({ event: 'problem.opened', verified: true, path: '/problems' });
    expect(webhook?.headers).toMatchObject({
      'webhook-id': expect.stringMatching(/^evt_/),
      'webhook-signature': expect.stringMatching(/^v1,/),
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
    });
    expect(JSON.parse(String(webhook?.rawBody))).toEqual({
      id: webhook?.deliveryId,
      type: 'problem.opened',
      created_at: expect.stringMatching(/Z$/),
      data: {
        problem: {
          id: expect.stringMatching(/^prb_/),
          merchant_id: 'mer_2',
          kind: 'webhook_failing',
          subject: 'whk_1',
          opened_at: expect.stringMatching(/Z$/),
          last_seen_at: expect.stringMatching(/Z$/),
          openings: 1,
          number: 7,
          failures: 5,
          oldest_at: '2026-11-27T06:12:01.123456Z',
          last_error: 'status 500',
          acknowledged_until: null,
        },
      },
    });
    expect(await row()).toMatchObject({ notifyAt: null, notifiedAt: expect.any(Date) });
  });

  it('is called again with the same id when it fails, and is not followed to another address', async () => {
    status = 302;
    await report();
    expect(await row()).toMatchObject({ notifyAttempts: 1, notifiedAt: null, notifyAt: expect.any(Date) });
    status = 204;
    await flow.database.$executeRaw`UPDATE problems SET notify_at = now()`;
    await report();
    const ids = receiver.received.map(({ deliveryId }) => deliveryId);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(receiver.received.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2']);
  });

  it('that cannot be reached is tried again later', async () => {
    await report('http://127.0.0.1:1/');
    expect(await row()).toMatchObject({ notifyAttempts: 1, notifiedAt: null, notifyAt: expect.any(Date) });
  });
});
