import { buildItem, buildOrder, waitFor } from '@rewardhook/testing';
import { callApi, syncPath } from '../../../tests/harness/call-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../tests/harness/private-redis.ts';
import { startProcess } from '../../../tests/harness/start-process.ts';
import type { AppProcess } from '../../../tests/harness/start-process.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { PrivateRedis } from '../../../tests/harness/private-redis.ts';

/** Requests of nearly 2 MiB, the most that the API accepts: 10,000 products. In Korean a character has two or three bytes. */
function largeRequest(name: string) {
  const items = Array.from({ length: 1_000 }, (_, index) =>
    buildItem({ product_id: `p-${index}`, product_name: '선물'.repeat(12), sku: '' }),
  );
  return {
    orders: Array.from({ length: 10 }, (_, index) => buildOrder({ order_id: `${name}-${index}`, items })),
  };
}

const requests = 40;
const smallOrders = 100;

describe('sync while requests of 2 MiB wait', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  let large: Merchant;
  let other: Merchant;
  let sync: AppProcess | undefined;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url, maxWaitingKib: 0 });
    large = await flow.openMerchant();
    other = await flow.openMerchant();
  });
  afterAll(async () => {
    await sync?.close();
    await flow.close();
    await redis.remove();
  });

  const stored = (merchant: Merchant) => flow.database.order.count({ where: { merchantId: merchant.id } });

  it('All orders are stored, those of another merchant before most of them, and the process has at most 250 MB', async () => {
    const body = JSON.stringify(largeRequest('0'));
    expect(Buffer.byteLength(body)).toBeGreaterThan(1.8 * 1_048_576);
    expect(Buffer.byteLength(body)).toBeLessThan(2 * 1_048_576);
    const send = (merchant: Merchant, request: unknown) =>
      // As a merchant does: a 503 is sent again.
      waitFor(
        async () => {
          const { status, body: answer } = await callApi(flow.url, syncPath, request, {
            key: merchant.secretKey,
          });
          if (status !== 202) throw new Error(JSON.stringify(answer));
          return true;
        },
        { deadlineMs: 30_000, what: 'the orders to be accepted' },
      );
    for (let sent = 0; sent < requests; sent += 1) await send(large, largeRequest(String(sent)));
    for (let sent = 0; sent < smallOrders; sent += 1) await send(other, { orders: [buildOrder()] });
    sync = await startProcess('sync', flow.environment);
    await waitFor(async () => (await stored(other)) === smallOrders, { deadlineMs: 60_000 });
    expect(await stored(large)).toBeLessThan((requests * 10) / 2);
    await waitFor(async () => (await stored(large)) === requests * 10, { deadlineMs: 120_000 });
    expect(sync.isRunning()).toBe(true);
    expect(sync.peakMegabytes()).toBeLessThan(250);
  }, 240_000);
});
