import { connectWorker, disconnect, openQueues, startWorker, toPayload } from '@rewardhook/pipeline';
import { buildItem, buildOrder, freePort, waitFor } from '@rewardhook/testing';
import { openCleanup } from '../../../../tests/harness/cleanup.ts';
import { startPrivateRedis } from '../../../../tests/harness/private-redis.ts';
import { startProcess } from '../../../../tests/harness/start-process.ts';
import { testLog } from '../../../../tests/harness/test-log.ts';

jest.setTimeout(180_000);

const cleanup = openCleanup();
afterAll(() => cleanup.run());

/** Orders of nearly 2 MiB, in Korean: in memory, a character that is not of Latin-1 makes each take two bytes. */
function largeOrders(): string {
  const items = Array.from({ length: 1_000 }, () => buildItem({ product_name: '선물'.repeat(12), sku: '' }));
  return JSON.stringify(Array.from({ length: 10 }, () => buildOrder({ items })));
}

it('The dashboard has at most 250 MB while several people look at 20 parked jobs of 2 MiB, and retry all of them', async () => {
  const server = await startPrivateRedis();
  cleanup.add(() => server.remove());
  const redis = connectWorker(server.url, testLog);
  cleanup.add(() => disconnect(redis));
  const prefix = '{parked}';
  const [sync] = openQueues(redis, prefix, 1, ['sync']);
  const orders = largeOrders();
  expect(Buffer.byteLength(orders)).toBeGreaterThan(1.7 * 1_048_576);
  cleanup.add(() => sync?.close());
  const dataOf = (version: number) =>
    toPayload<'sync'>({ merchantId: 'mer_0123456789ABCDEFGHIJKL', version, count: 10, orders });
  for (let version = 1; version <= 20; version += 1)
    await sync?.add('sync', dataOf(version), { attempts: 1 });
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
  for (const options of [{}, { delay: 3_600_000 }, { priority: 1 }])
    for (let job = 0; job < 4; job += 1) await sync?.add('sync', dataOf(21), { attempts: 1, ...options });

  const port = await freePort();
  const environment = { databaseUrl: '', redisUrl: server.url, prefix, secretsKey: '' };
  const dashboard = await startProcess('dashboard', environment, {
    DASHBOARD_PORT: String(port),
    DASHBOARD_OPERATOR_USER: 'operator',
    DASHBOARD_OPERATOR_PASSWORD: 'operator password',
  });
  cleanup.add(() => dashboard.close());
  const authorization = `Basic ${btoa('operator:operator password')}`;
  const send = async (path: string, method = 'GET') => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/queues${path}`, {
      method,
      headers: { authorization },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const read = (query: string, queue = 'sync') => send(`?activeQueue=${queue}&${query}`);
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
    for (const query of ['status=latest&page=1&jobsPerPage=10', ''])
      expect((await read(query)).text.match(/"version":\d+/g)).toHaveLength(4);
  }
  const ofDeliveries = await read('status=failed&page=1&jobsPerPage=1000', 'webhook-delivery');
  expect(ofDeliveries.text).toContain('"range":{"start":0,"end":19}');
  expect((await send('//?x=1')).status).toBe(404);
  expect(await send('/sync/retry/failed', 'PUT')).toEqual({
    status: 200,
    text: '{"retried":20,"skipped":0}',
  });
  expect(await sync?.getJobCounts('failed', 'waiting')).toEqual({ failed: 0, waiting: 24 });
  expect(dashboard.peakMegabytes()).toBeLessThan(250);
});
