import { gzipSync } from 'node:zlib';
import { buildOrder } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import { syncPath } from '../harness/call-api.ts';
import type { Flow } from '../harness/start-flow.ts';

/** The API frees the memory of a body as soon as its orders are enqueued, and sync that of a job and of its statement. */
describe('Bodies of all sizes', () => {
  let flow: Flow;
  beforeAll(async () => {
    flow = await startFlow();
  });
  afterAll(() => flow.close());

  /** Orders of which every second one is not stored as it was sent, with names that show which order they belong to. */
  const buildOrders = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const order = buildOrder({ order_id: `${prefix}-${index}` });
      const items = order.items.map((item) => ({ ...item, product_name: `${prefix} 상품 ${index}` }));
      return { ...order, items, ...(index % 2 === 0 ? { note: 'not stored' } : {}) };
    });

  /** A body with at least this number of bytes. */
  const bodyOf = (orders: object[], bytes = 0) => {
    const body = Buffer.from(JSON.stringify({ orders }));
    return Buffer.concat([body, Buffer.alloc(Math.max(0, bytes - body.length), ' ')]);
  };

  it.each([
    ['of 10 kB', 'kb10', bodyOf(buildOrders('kb10', 20)), {}],
    ['of 50 kB', 'kb50', bodyOf(buildOrders('kb50', 80)), {}],
    ['of 300 kB, read in a thread', 'kb300', bodyOf(buildOrders('kb300', 500)), {}],
    [
      'of 10 kB, compressed',
      'zip1',
      gzipSync(bodyOf(buildOrders('zip1', 20))),
      { 'content-encoding': 'gzip' },
    ],
    [
      'of 16 KiB, compressed',
      'zip2',
      gzipSync(bodyOf(buildOrders('zip2', 20), 16_384)),
      { 'content-encoding': 'gzip' },
    ],
  ])('Each order of a body %s is stored with its own items', async (_what, prefix, body, headers) => {
    const merchant = await flow.openMerchant();
    // Twice at the same time: what one of them frees does not belong to the other.
    const answers = await Promise.all(
      [1, 2].map(() => flow.call(syncPath, body, { key: merchant.secretKey, headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await flow.queues.settled();
    const rows = await flow.database.order.findMany({ where: { merchantId: merchant.id } });
    expect(rows).toHaveLength(Number(answers[0]?.body.data['accepted_count']));
    for (const { orderId, items } of rows)
      for (const { product_name: name } of items as { product_name: string }[])
        expect(name).toBe(`${prefix} 상품 ${orderId.slice(prefix.length + 1)}`);
  });
});
