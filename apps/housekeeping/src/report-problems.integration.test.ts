import { recordProblems } from '@rewardhook/database/operations';
import { startReceiver } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import { testLog as log } from '../../../tests/harness/test-log.ts';
import { openProblemReports } from './report-problems.ts';

const secret = `whsec_${Buffer.alloc(32, 'k').toString('base64')}`;

let flow: Flow;
let receiver: Receiver;
let status: number;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  receiver = await startReceiver({ signingSecret: secret, respond: () => status });
  await flow.database.merchant.create({ data: { id: 'mer_1', name: 'Shop', identitySecret: '' } });
});
beforeEach(async () => {
  status = 204;
  receiver.received.length = 0;
  await flow.database.$executeRaw`TRUNCATE problems`;
  const problem = { merchantId: 'mer_1', kind: 'webhook_failing', subject: 'whk_1', number: 7 } as const;
  const failing = { failures: 5, oldestAt: '2026-11-27T06:12:01.123456Z', error: 'status 500' };
  await recordProblems(flow.database, [{ ...problem, ...failing }], { kinds: [], findings: [] });
});
afterAll(async () => {
  await receiver.close();
  await flow.close();
});

const report = (url = `${receiver.url}/problems`) =>
  openProblemReports(
    { database: flow.database, log: log as never },
    { url, secret },
  )(new AbortController().signal);
const row = () => flow.database.problem.findFirstOrThrow();

describe("The operator's URL", () => {
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
          merchant_id: 'mer_1',
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
