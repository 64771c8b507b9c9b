import type { CertifyReport } from '@rewardhook/certify';
import { startReceiver } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { verifyWebhook } from '@rewardhook/verify';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type { WebhookView } from '../api-types.ts';

jest.setTimeout(90_000);

describe('Certify receiver in the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  let receiver: Receiver;
  let respond: (webhook: ReceivedWebhook) => number | Promise<number>;
  beforeAll(async () => {
    flow = await startFlow();
    running = await openConsole(flow.environment);
    owner = await running.signUp();
    receiver = await startReceiver({ respond: (webhook) => respond(webhook) });
  });
  afterAll(async () => {
    await receiver.close();
    await running.close();
    await flow.close();
  });
  beforeEach(() => {
    receiver.received.length = 0;
    respond = ({ headers, rawBody }) =>
      verifyWebhook({ headers, body: rawBody, secrets: [owner.merchant.signingSecret] }).ok ? 204 : 400;
  });
  const add = async (path: string, { browser }: Pick<SignedUpMerchant, 'browser'> = owner, side = '') => {
    const types = { event_types: ['reward.issue'] };
    const answer = await browser.post(`${side}/webhooks`, { url: receiver.url + path, ...types });
    return (answer.data as WebhookView).id;
  };
  /** Adds a webhook whose URL has answered 2xx to a test event. */
  const register = async (
    path: string,
    { browser }: Pick<SignedUpMerchant, 'browser'> = owner,
    side = '',
  ) => {
    const id = await add(path, { browser }, side);
    const usual = respond;
    respond = () => 204;
    expect((await browser.post(`${side}/webhooks/${id}/test`, {})).status).toBe(200);
    respond = usual;
    receiver.received.length = 0;
    return id;
  };
  const certify = (id: string) => owner.browser.post(`/webhooks/${id}/certify`);

  it('passes a receiver that verifies, with events that are marked as tests, and stores no delivery', async () => {
    const id = await register('/correct');
    const { status, data } = await certify(id);
    const report = data as CertifyReport;
    expect([status, report.outcome, report.marked_as_tests, report.grants_observed]).toEqual([
      200,
      'not_observed',
      true,
      false,
    ]);
    expect(report.checks.filter(({ status: of }) => of !== 'passed')).toEqual([]);
    expect(receiver.received.length).toBeGreaterThan(40);
    for (const { rawBody, path } of receiver.received)
      expect([path, (JSON.parse(rawBody.toString()) as { test: unknown }).test]).toEqual(['/correct', true]);
    const deliveries = await flow.database.delivery.findMany({ where: { endpointId: id } });
    expect(deliveries).toEqual([expect.objectContaining({ attemptsMade: 1 })]);
    const entries = await flow.database.auditEntry.findMany({ where: { action: 'webhook.certified' } });
    expect(entries).toEqual([expect.objectContaining({ subjectId: id, outcome: 'done' })]);
  });

  it('finds a receiver that does not verify signatures', async () => {
    respond = () => 200;
    const report = (await certify(await register('/trusting'))).data as CertifyReport;
    expect(report.outcome).toBe('failed');
    const failed = report.checks.filter(({ status }) => status === 'failed').map(({ check }) => check);
    expect(failed).toEqual(
      expect.arrayContaining(['unsigned', 'wrong_secret', 'altered_body', 'stale', 'future']),
    );
  });

  it('sends nothing before the URL has answered 2xx to a test event', async () => {
    const id = await add('/unproven');
    const refused = await certify(id);
    expect([refused.status, refused.body.reason, refused.body.message]).toEqual([
      409,
      expect.objectContaining({ code: 'webhook_not_proven' }),
      expect.stringContaining('Send a test event first'),
    ]);
    respond = () => 500;
    await owner.browser.post(`/webhooks/${id}/test`, {});
    expect((await certify(id)).status).toBe(409);
    expect(receiver.received).toHaveLength(1);
    respond = () => 400;
    const moved = await register('/proven');
    await owner.browser.send('PATCH', `/webhooks/${moved}`, { url: `${receiver.url}/moved` });
    expect((await certify(moved)).body.reason).toMatchObject({ code: 'webhook_not_proven' });
  });

  it('refuses a second run of the merchant at the same time, and runs of those who may not change webhooks', async () => {
    const id = await register('/busy');
    const ofTestSide = await register('/busy', owner, '/test');
    let release: (status: number) => void = () => undefined;
    const held = new Promise<number>((resolve) => (release = resolve));
    respond = () => held;
    const first = certify(id);
    await receiver.waitFor(() => true);
    const others = [await certify(id), await owner.browser.post(`/test/webhooks/${ofTestSide}/certify`)];
    expect(others.map(({ status, body }) => [status, body.reason?.code])).toEqual([
      [409, 'certification_running'],
      [409, 'certification_running'],
    ]);
    release(410);
    const report = (await first).data as CertifyReport;
    expect(report.checks[0]).toMatchObject({ status: 'failed', finding: { code: 'gone' } });
    expect(report.checks.slice(1).every(({ status }) => status === 'not_run')).toBe(true);
    const stranger = await running.signUp();
    expect((await stranger.browser.post(`/webhooks/${id}/certify`)).status).toBe(404);
  });

  it('is limited to 20 runs an hour, on both sides together', async () => {
    const other = await running.signUp();
    const paths: string[] = [];
    for (const side of ['', '/test'])
      paths.push(`${side}/webhooks/${await register('/limited', other, side)}/certify`);
    respond = () => 400;
    for (let run = 0; run < 10; run += 1)
      for (const path of paths) expect((await other.browser.post(path)).status).toBe(200);
    for (const path of paths) {
      const refused = await other.browser.post(path);
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
    }
  });
});
