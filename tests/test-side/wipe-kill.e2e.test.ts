import { setTimeout } from 'node:timers/promises';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { bootPath, callApi, linkPath, syncPath } from '../harness/call-api.ts';
import { startApi } from '../harness/start-api.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startProcess } from '../harness/start-process.ts';
import { startWorkers } from '../harness/start-workers.ts';
import { userHashOf } from '../harness/open-merchant.ts';
import type { AppProcess } from '../harness/start-process.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { rowsOf } from '../console/rows-of.ts';
import { dataOf as tablesWithData } from './data-of.ts';
import { openTestSide } from './open-test-side.ts';

// Processes of their own, which are killed while they work.
jest.setTimeout(300_000);

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow?.close());

const wipe = async (live: Merchant) => {
  const { merchantId } = await flow.admin('merchant wipe-test', { merchant: live.id });
  return String(merchantId);
};
const isPending = async (formerId: string) =>
  (await flow.database.wipe.findUniqueOrThrow({ where: { merchantId: formerId } })).finishedAt === null;

const dataOf = (merchantId: string) => tablesWithData(flow.database, merchantId);

describe('The deletion of test data, while processes are killed', () => {
  const apps = ['api', 'sync', 'reward-evaluation', 'webhook-delivery', 'housekeeping'] as const;
  const running = new Map<(typeof apps)[number], AppProcess>();
  /** The address of the API that was started last: nobody listens there while it is killed. */
  let apiUrl = '';
  const start = async (app: (typeof apps)[number]) => {
    const settings = { WEBHOOK_ALLOW_LOOPBACK: 'true', DATABASE_POOL_SIZE: '5' };
    const started = await startProcess(app, flow.environment, settings);
    running.set(app, started);
    if (app === 'api') apiUrl = started.url;
  };
  const kill = async (app: (typeof apps)[number]) => {
    await running.get(app)?.close();
    running.delete(app);
  };
  beforeAll(async () => {
    for (const app of apps) await start(app);
  });
  afterAll(async () => {
    for (const app of apps) await kill(app);
  });

  it('ends with no row of the former ids, and every order that was accepted after it is stored once', async () => {
    const live = await flow.openMerchant();
    let side = await openTestSide(flow, live);
    const receiver = await flow.receiver(side, 'reward.issue');
    await flow.link(live, 'anna', 'ben');
    await flow.sync(live, buildOrder({ order_id: 'live', member_id: 'ben' }));
    await flow.queues.settled();
    const liveBefore = await rowsOf(flow.database, live.id);

    /** Calls the API that is killed now and then. @returns whether it answered with this status */
    const ask = async (path: string, body: object, status: number) => {
      const answer = await callApi(apiUrl, path, body, { key: side.secretKey }).catch(() => undefined);
      return answer?.status === status;
    };
    const accepted: { orderId: string; sentAt: number }[] = [];
    const stopping = new AbortController();
    let sent = 0;
    const send = async () => {
      while (!stopping.signal.aborted) {
        sent += 1;
        const [orderId, sentAt] = [`busy-${sent}`, Date.now()];
        const linked = await ask(
          linkPath,
          { referrer_member_id: `${orderId}-a`, referee_member_id: `${orderId}-b` },
          201,
        );
        const orders = [buildOrder({ order_id: orderId, member_id: `${orderId}-b` })];
        if (linked && (await ask(syncPath, { orders }, 202))) accepted.push({ orderId, sentAt });
        // A shop's pace: the processes that start need the processor too.
        await setTimeout(100);
      }
    };
    const sending = send();
    const formerIds: string[] = [];
    let wipedAt = 0;
    try {
      // First the housekeeping is killed alone, then everything.
      for (const killed of [['housekeeping'] as const, apps]) {
        // Enough that the deletion takes several batches of each table.
        await flow.database.$executeRaw`
          INSERT INTO orders (merchant_id, order_id, member_id, order_date, order_amount, paid_amount, shipping_amount, first_order, items, version)
          SELECT ${side.id}, 'old-' || n, 'm-' || n % 100, now(), 1000, 1000, 0, false, '[]', 1 FROM generate_series(1, 12000) n`;
        const formerId = side.id;
        const left = () => flow.database.order.count({ where: { merchantId: formerId } });
        side = { ...side, id: await wipe(live) };
        wipedAt = Date.now();
        formerIds.push(formerId);
        await waitFor(async () => (await left()) < 11_000, {
          deadlineMs: 60_000,
          everyMs: 5,
          what: 'a part of the deletion',
        });
        await kill('housekeeping');
        expect(await left()).toBeGreaterThan(0);
        expect(await isPending(formerId)).toBe(true);
        for (const app of killed) await kill(app);
        for (const app of killed) await start(app);
      }
      for (const formerId of formerIds)
        await waitFor(async () => !(await isPending(formerId)), { deadlineMs: 90_000, what: 'the deletion' });
      const after = accepted.length;
      await waitFor(() => accepted.length > after + 10, { deadlineMs: 30_000, what: 'orders after it' });
    } finally {
      stopping.abort();
      await sending;
    }
    await waitFor(() => flow.queues.settled().then(() => true), { deadlineMs: 120_000, what: 'the queues' });

    // The API uses the owner of a key for 2 s: what it accepted in that time belongs to the former id.
    const kept = accepted.filter(({ sentAt }) => sentAt > wipedAt + 3_000).map(({ orderId }) => orderId);
    expect(kept.length).toBeGreaterThan(10);
    const orders = await flow.database.order.findMany({ where: { merchantId: side.id } });
    const stored = new Set(orders.map(({ orderId }) => orderId));
    expect(kept.filter((orderId) => !stored.has(orderId))).toEqual([]);
    for (const orderId of kept) {
      const where = { merchantId: side.id, orderId };
      expect([orderId, await flow.database.reward.count({ where })]).toEqual([orderId, 2]);
    }
    await waitFor(
      async () =>
        (await flow.database.delivery.count({ where: { merchantId: side.id, state: 'pending' } })) === 0,
      { deadlineMs: 90_000, what: 'the webhooks' },
    );
    expect(receiver.received.filter(({ verified }) => !verified)).toEqual([]);
    // What a worker stored late is deleted by the next housekeeping that starts.
    await kill('housekeeping');
    await start('housekeeping');
    for (const formerId of formerIds)
      await waitFor(async () => (await dataOf(formerId)).length === 0, {
        deadlineMs: 60_000,
        what: `the deletion of ${formerId}`,
      });
    expect(await rowsOf(flow.database, live.id)).toEqual(liveBefore);
  });
});

describe('A key that the API has cached when the test data is deleted', () => {
  it('gets 503 from boot, 410 from the feed, and 202 for orders, which are not stored', async () => {
    const live = await flow.openMerchant();
    const side = await openTestSide(flow, live);
    const api = await startApi({ ...flow.environment, keyFreshMs: 60_000 });
    const call = (path: string, body: unknown, key: string, method = 'POST') =>
      callApi(api.url, path, body, { key, method });
    const boot = (userId: string) =>
      call(bootPath, { user_id: userId, user_hash: userHashOf(side, userId) }, side.publicKey);
    const readFeed = () => call('/api/open/events/', undefined, side.secretKey, 'GET');
    const sync = (orderId: string) =>
      call(syncPath, { orders: [buildOrder({ order_id: orderId, member_id: 'ben' })] }, side.secretKey);
    try {
      expect([(await boot('anna')).status, (await readFeed()).status]).toEqual([200, 200]);
      const newId = await wipe(live);
      const answers = [await boot('ben'), await readFeed(), await sync('late')];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual([
        [503, 'service_unavailable'],
        [410, 'cursor_expired'],
        [202, undefined],
      ]);
      const workers = await startWorkers(flow.environment, { stages: ['sync'] });
      await flow.queues.settled();
      await workers.close();
      // Another process has not cached the key.
      expect((await flow.boot({ ...side, id: newId }, { user_id: 'ben' })).status).toBe(200);
      expect(await flow.database.order.count({ where: { orderId: 'late' } })).toBe(0);
      expect(await flow.database.member.count({ where: { merchantId: side.id, memberId: 'ben' } })).toBe(0);
    } finally {
      await api.close();
    }
  });
});
