import type { CertifyReport } from '@rewardhook/certify';
import { startReceiver } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { verifyWebhook } from '@rewardhook/verify';
import { startFlow } from '../../../../tests/harness/index.ts';
import type { Flow } from '../../../../tests/harness/index.ts';
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
  const register = async (path: string) => {
    const types = { event_types: ['reward.issue'] };
    const answer = await owner.browser.post('/webhooks', { url: receiver.url + path, ...types });
    return (answer.data as WebhookView).id;
  };
  const certify = (id: string) => owner.browser.post(`/webhooks/${id}/certify`);

  it('passes a receiver that verifies, with events that are marked as tests, and stores no delivery', async () => {
    const id = await register('/correct');
    const { status, data } = await certify(id);
    const report = data as CertifyReport;
    expect([status, report.outcome, report.marked_as_tests, report.grants_observed]).toEqual([
      200,
      'passed',
      true,
      false,
    ]);
    expect(report.checks.filter(({ status: of }) => of !== 'passed')).toEqual([]);
    expect(receiver.received.length).toBeGreaterThan(40);
    for (const { rawBody, path } of receiver.received)
      expect([path, (JSON.parse(rawBody.toString()) as { test: unknown }).test]).toEqual(['/correct', true]);
    expect(await flow.database.delivery.count({ where: { endpointId: id } })).toBe(0);
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

  it('refuses a second run of the merchant at the same time, and runs of those who may not change webhooks', async () => {
    const id = await register('/busy');
    let release: (status: number) => void = () => undefined;
    const held = new Promise<number>((resolve) => (release = resolve));
    respond = () => held;
    const first = certify(id);
    await receiver.waitFor(() => true);
    const second = await certify(id);
    expect([second.status, second.body.reason]).toEqual([
      409,
      expect.objectContaining({ code: 'certification_running' }),
    ]);
    release(410);
    const report = (await first).data as CertifyReport;
    expect(report.checks[0]).toMatchObject({ status: 'failed', finding: { code: 'gone' } });
    expect(report.checks.slice(1).every(({ status }) => status === 'not_run')).toBe(true);
    const stranger = await running.signUp();
    expect((await stranger.browser.post(`/webhooks/${id}/certify`)).status).toBe(404);
  });

  it('is limited to 20 runs an hour', async () => {
    const other = await running.signUp();
    const types = { event_types: ['reward.issue'] };
    const hook = await other.browser.post('/webhooks', { url: `${receiver.url}/limited`, ...types });
    const path = `/webhooks/${(hook.data as WebhookView).id}/certify`;
    respond = () => 400;
    for (let run = 0; run < 20; run += 1) expect((await other.browser.post(path)).status).toBe(200);
    const refused = await other.browser.post(path);
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
  });
});
