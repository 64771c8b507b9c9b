import { connectWorker, disconnect, openQueues, startWorker, toPayload } from '@rewardhook/pipeline';
import { buildItem, buildOrder, freePort, waitFor } from '@rewardhook/testing';
import { openCleanup, startPrivateRedis, startProcess, testLog } from '../../../../tests/harness/index.ts';

jest.setTimeout(180_000);

const cleanup = openCleanup();
afterAll(() => cleanup.run());

/** Orders of nearly 2 MiB, in Korean: in memory, a character that is not of Latin-1 makes each take two bytes. */
function largeOrders(): string {
  const items = Array.from({ length: 1_000 }, () => buildItem({ product_name: '선물'.repeat(12), sku: '' }));
  return JSON.stringify(Array.from({ length: 10 }, () => buildOrder({ items })));
}

it('The dashboard has at most 250 MB while several people look at 20 parked jobs of 2 MiB', async () => {
  const server = await startPrivateRedis();
  cleanup.add(() => server.remove());
  const redis = connectWorker(server.url, testLog);
  cleanup.add(() => disconnect(redis));
  const prefix = '{parked}';
  const [sync] = openQueues(redis, prefix, 1, ['sync']);
  const orders = largeOrders();
  expect(Buffer.byteLength(orders)).toBeGreaterThan(1.7 * 1_048_576);
  for (let version = 1; version <= 20; version += 1) {
    const data = toPayload<'sync'>({ merchantId: 'mer_0123456789ABCDEFGHIJKL', version, count: 10, orders });
    await sync?.add('sync', data, { attempts: 1 });
  }
  const worker = startWorker({
    stage: 'sync',
    redis,
    prefix,
    concurrency: 4,
    handle: () => Promise.reject(new Error('always')),
    log: testLog,
    observe: () => undefined,
    onStuck: () => undefined,
  });
  await waitFor(async () => (await sync?.getFailedCount()) === 20, { deadlineMs: 30_000 });
  await worker.close();
  for (let version = 21; version <= 30; version += 1) {
    const data = toPayload<'sync'>({ merchantId: 'mer_0123456789ABCDEFGHIJKL', version, count: 10, orders });
    await sync?.add('sync', data, { attempts: 1 });
  }
  await sync?.close();

  const port = await freePort();
  const environment = { databaseUrl: '', redisUrl: server.url, prefix, secretsKey: '' };
  const dashboard = await startProcess('dashboard', environment, {
    DASHBOARD_PORT: String(port),
    DASHBOARD_OPERATOR_USER: 'operator',
    DASHBOARD_OPERATOR_PASSWORD: 'operator password',
  });
  cleanup.add(() => dashboard.close());
  const authorization = `Basic ${btoa('operator:operator password')}`;
  const read = async (query: string, queue = 'sync') => {
    const path = `/api/queues?activeQueue=${queue}&${query}`;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
    const text = await answer.text();
    return { status: answer.status, text };
  };
  for (let round = 0; round < 2; round += 1) {
    const answers = await Promise.all(
      [1, 2, 5].map((page) => read(`status=failed&page=${page}&jobsPerPage=10`)),
    );
    for (const { status, text } of answers) {
      expect(status).toBe(200);
      expect(text.match(/"version":\d+/g)).toHaveLength(4);
      expect(text.length).toBeLessThan(100_000);
      expect(text).toContain('"pageCount":5');
    }
    const latest = await read('status=latest&page=1&jobsPerPage=10');
    expect(latest.text.match(/"version":\d+/g)).toHaveLength(8);
  }
  const ofDeliveries = await read('status=failed&page=1&jobsPerPage=1000', 'webhook-delivery');
  expect(ofDeliveries.text).toContain('"range":{"start":0,"end":19}');
  expect(dashboard.peakMegabytes()).toBeLessThan(250);
});
