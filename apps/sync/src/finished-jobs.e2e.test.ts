import { gzipSync } from 'node:zlib';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../tests/harness/private-redis.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { PrivateRedis } from '../../../tests/harness/private-redis.ts';

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
  const items = Array.from({ length: 115 }, () => item);
  const orders = Array.from({ length: 50 }, (_none, index) =>
    buildOrder({ order_id: `big-${index}`, items }),
  );
  return gzipSync(JSON.stringify({ orders }));
}

jest.setTimeout(120_000);

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
      const { status } = await flow.call(syncPath, body, options);
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
});
