import { gzipSync } from 'node:zlib';
import { connectWorker, disconnect, openQueues } from '@rewardhook/pipeline';
import { buildOrder, waitFor } from '@rewardhook/testing';
import {
  callApi,
  testLog,
  startFlow,
  startPrivateRedis,
  startWorkers,
  syncPath,
} from '../../../tests/harness/index.ts';
import type { Flow, PrivateRedis } from '../../../tests/harness/index.ts';

const maxMemory = 32 * 1024 * 1024;

/** One request of about 2 MiB, compressed to about 30 KiB. */
function bigRequest(): Buffer {
  const item = {
    product_id: 'p',
    product_name: 'x'.repeat(250),
    quantity: 1,
    price: 1,
    paid_amount: 1,
    sku: '',
    cancelled_at: null,
  };
  const items = Array.from({ length: 130 }, () => item);
  const orders = Array.from({ length: 50 }, (_none, index) =>
    buildOrder({ order_id: `big-${index}`, items }),
  );
  return gzipSync(JSON.stringify({ orders }));
}

describe('Redis after many big requests', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    await redis.send('CONFIG', 'SET', 'maxmemory', maxMemory);
    flow = await startFlow({ redisUrl: redis.url });
  });
  afterAll(async () => {
    await flow.close();
    await redis.remove();
  });

  async function usedMemory(): Promise<number> {
    const info = String(await redis.send('INFO', 'memory'));
    return Number(/^used_memory:(\d+)/m.exec(info)?.[1]);
  }

  it('Redis keeps no orders of finished jobs, and accepts the orders of another merchant', async () => {
    const [big, small] = [await flow.openMerchant(), await flow.openMerchant()];
    const before = await usedMemory();
    const body = bigRequest();
    const options = { key: big.secretKey, headers: { 'content-encoding': 'gzip' } };
    // 28 MiB in total. Redis counts as full at 80 % of its limit, 25.6 MiB.
    for (let sent = 0; sent < 14; sent += 1) {
      const { status } = await callApi(flow.url, syncPath, body, options);
      expect({ sent, status }).toEqual({ sent, status: 202 });
      await flow.queues.settled();
    }
    await flow.sync(small, buildOrder());
    await flow.queues.settled();
    // The buffers of connections shrink with a delay.
    await waitFor(async () => (await usedMemory()) - before < 4_000_000, { what: 'room in Redis' });
    expect(await flow.admin('doctor', {})).toMatchObject({
      redis: { memory: { maxBytes: maxMemory, refusesOrders: false } },
      queues: { sync: { completed: 0 } },
    });
  });

  it('Completed jobs that an earlier release kept are removed', async () => {
    const merchant = await flow.openMerchant();
    const sync = connectWorker(redis.url, testLog);
    await waitFor(() => sync.status === 'ready', { everyMs: 5 });
    const [queue] = openQueues(sync, flow.environment.prefix);
    const data = { merchantId: merchant.id, version: 1, orders: [buildOrder()], padding: 'x'.repeat(5e6) };
    await redis.send('CONFIG', 'SET', 'maxmemory', 0);
    const before = await usedMemory();
    for (let added = 0; added < 3; added += 1) {
      await queue?.add('sync', data, { removeOnComplete: { count: 100 } });
      await flow.queues.settled();
    }
    // The buffers of connections shrink with a delay, and do not belong to the jobs.
    await waitFor(async () => (await usedMemory()) - before < 17_000_000, { what: 'empty buffers' });
    await redis.send('CONFIG', 'SET', 'maxmemory', Math.round((await usedMemory()) * 1.1));
    const refused = () =>
      callApi(flow.url, syncPath, { orders: [buildOrder()] }, { key: merchant.secretKey });
    await waitFor(async () => (await refused()).status === 503, { everyMs: 50 });
    expect(await flow.admin('doctor', {})).toMatchObject({ clean: false, faults: { redisFull: 1 } });
    // Each worker removes them when it starts, and every minute.
    const worker = await startWorkers(flow.environment);
    await waitFor(async () => (await refused()).status === 202, { everyMs: 50 });
    await worker.close();
    await queue?.close();
    await disconnect(sync);
  });
});
