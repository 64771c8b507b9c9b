import { gzipSync } from 'node:zlib';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { waitForLocks } from '../../../packages/database/src/fixtures/wait-for-locks.ts';
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

let redis: PrivateRedis;
let flow: Flow;
beforeAll(async () => {
  redis = await startPrivateRedis();
  await redis.send('CONFIG', 'SET', 'maxmemory', maxMemory);
  flow = await startFlow({ redisUrl: redis.url });
});
afterAll(async () => {
  await flow?.close();
  await redis?.remove();
});

describe('While Redis takes no writes for 2.5 s, as with a slow disk', () => {
  it('An order that is stored meanwhile is evaluated when Redis is back, and does not wait for the sweeper', async () => {
    const merchant = await flow.openMerchant();
    await flow.link(merchant, 'anna', 'ben');
    await flow.database.$transaction(async (tx) => {
      await tx.$executeRaw`LOCK TABLE orders`;
      await flow.sync(merchant, buildOrder({ member_id: 'ben' }));
      await waitForLocks(flow.database, 1, 'store_orders');
      await redis.send('CLIENT', 'PAUSE', 2_500, 'WRITE');
    });
    const decided = () => flow.database.decision.count({ where: { merchantId: merchant.id } });
    // The sweeper enqueues what has waited for 15 s.
    await waitFor(async () => (await decided()) === 1, { deadlineMs: 10_000, what: 'the decision' });
    await flow.queues.settled();
  });
});

describe('Redis after many big requests', () => {
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
