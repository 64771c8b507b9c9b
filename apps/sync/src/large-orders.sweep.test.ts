import { gzipSync } from 'node:zlib';
import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import {
  callApi,
  startFlow,
  startPrivateRedis,
  startProcess,
  syncPath,
} from '../../../tests/harness/index.ts';
import type { AppProcess, Flow, Merchant, PrivateRedis } from '../../../tests/harness/index.ts';

/** An order of nearly 10 MiB, the largest body that the API accepts, compressed. */
function largeOrder(orderId: string): Buffer {
  const item = buildItem({ product_name: '가'.repeat(255), sku: '나'.repeat(255) });
  const items = Array.from({ length: 5_500 }, () => item);
  return gzipSync(JSON.stringify({ orders: [buildOrder({ order_id: orderId, items })] }), { level: 1 });
}

const largeOrders = 40;
const smallOrders = 150;

describe('sync with the memory of a container of 512 MB', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  let [large, other]: Merchant[] = [];
  let sync: AppProcess | undefined;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    [large, other] = [await flow.openMerchant(), await flow.openMerchant()];
  });
  afterAll(async () => {
    await sync?.close();
    await flow.close();
    await redis.remove();
  });

  const stored = (merchant: Merchant | undefined) =>
    flow.database.order.count({ where: { merchantId: String(merchant?.id) } });

  it('Orders of 10 MiB that wait are all stored, and those of another merchant before most of them', async () => {
    const send = async (merchant: Merchant | undefined, body: unknown, headers = {}) => {
      const options = { key: merchant?.secretKey, headers };
      expect((await callApi(flow.url, syncPath, body, options)).status).toBe(202);
    };
    for (let sent = 0; sent < largeOrders; sent += 1)
      await send(large, largeOrder(`large-${sent}`), { 'content-encoding': 'gzip' });
    // Small jobs end together, and large ones are taken for all of them.
    const small = Array.from({ length: smallOrders }, () => ({ orders: [buildOrder()] }));
    await Promise.all(small.map((body) => send(other, body)));
    // The heap of a container with 512 MB, of which Node takes half.
    sync = await startProcess('sync', flow.environment, ['--max-old-space-size=256']);
    await waitFor(async () => (await stored(other)) === smallOrders, { deadlineMs: 60_000 });
    expect(await stored(large)).toBeLessThan(largeOrders / 2);
    await waitFor(async () => (await stored(large)) === largeOrders, { deadlineMs: 120_000 });
    expect(sync.isRunning()).toBe(true);
    expect(sync.peakMegabytes()).toBeLessThan(450);
  }, 240_000);
});
