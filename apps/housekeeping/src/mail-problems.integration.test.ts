import { recordProblems } from '@rewardhook/database/operations';
import type { FoundProblem } from '@rewardhook/database/operations';
import { startMailServer } from '@rewardhook/testing/mail';
import type { MailServer } from '@rewardhook/testing/mail';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import { testLog } from '../../../tests/harness/test-log.ts';
import { openProblemMail } from './mail-problems.ts';

let flow: Flow;
let server: MailServer;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  server = await startMailServer();
  await flow.database.$executeRaw`TRUNCATE problems, notices, merchants, users CASCADE`;
  await flow.database.merchant.create({
    data: { id: 'mer_1', name: 'Kim & Sons', identitySecret: '', contactEmail: 'shop@example.com' },
  });
});
afterEach(() => server.close());
afterAll(() => flow.close());

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

describe('A mail about problems', () => {
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

  it('goes to the owners of the team without a contact, then to the operator, else the problem says nobody', async () => {
    await flow.database.merchant.updateMany({ data: { contactEmail: null } });
    await open(failing);
    await mail();
    expect([recipients(), await mailedTo()]).toEqual([[], ['nobody']]);

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
    expect(await mailedTo()).toEqual(['nobody']);
  });
});
