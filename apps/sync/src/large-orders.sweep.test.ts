import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { buildOrder, waitFor } from '@rewardhook/testing';
import {
  callApi,
  startFlow,
  startPrivateRedis,
  startProcess,
  syncPath,
} from '../../../tests/harness/index.ts';
import type { AppProcess, Flow, Merchant, PrivateRedis } from '../../../tests/harness/index.ts';

/**
 * A body of nearly 10 MiB, the most that the API accepts, compressed. Its order is printed in full, in 15 to 18 MB. With names that
 * repeat, its job is a few hundred kB. Random names are longer, so there are fewer items; with them the job is about 4 MB.
 */
function largeOrder(orderId: string, { randomNames }: { randomNames: boolean }): Buffer {
  const items = Array.from({ length: randomNames ? 80_000 : 120_000 }, () => {
    const name = randomNames ? randomBytes(30).toString('base64url') : 'x';
    return `{"product_id":"가","product_name":"${name}","quantity":1,"price":9e15,"paid_amount":9e15}`;
  });
  const { items: _none, ...fields } = buildOrder({ order_id: orderId });
  const order = `${JSON.stringify(fields).slice(0, -1)},"items":[${items.join()}]}`;
  return gzipSync(`{"orders":[${order}]}`, { level: 1 });
}

const largeOrders = 24;
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

  it('Orders of bodies of 10 MiB that wait are all stored, and those of another merchant before most of them', async () => {
    const send = async (merchant: Merchant | undefined, body: unknown, headers = {}) => {
      const options = { key: merchant?.secretKey, headers };
      // As a merchant does: a 503 is sent again.
      const answer = await waitFor(
        async () => {
          const response = await callApi(flow.url, syncPath, body, options);
          if (response.status === 503) throw new Error(JSON.stringify(response.body));
          return response;
        },
        { deadlineMs: 30_000, what: 'the orders to be accepted' },
      );
      expect(answer.status).toBe(202);
    };
    for (let sent = 0; sent < largeOrders; sent += 1)
      await send(large, largeOrder(`large-${sent}`, { randomNames: sent % 2 === 0 }), {
        'content-encoding': 'gzip',
      });
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
