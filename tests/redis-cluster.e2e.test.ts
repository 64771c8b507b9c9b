import { buildItem, buildOrder, scaled, temporaryFolder, waitFor } from '@rewardhook/testing';
import { startRedisCluster } from '@rewardhook/testing/servers';
import type { RedisCluster } from '@rewardhook/testing/servers';
import { connectWorker, disconnect, mastersOf, prefixOfShard, shardOf } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { callApi, syncPath } from './harness/call-api.ts';
import { openCleanup } from './harness/cleanup.ts';
import { startFlow } from './harness/start-flow.ts';
import { startWorkers } from './harness/start-workers.ts';
import { testLog } from './harness/test-log.ts';
import type { Flow } from './harness/start-flow.ts';
import type { Merchant } from './harness/open-merchant.ts';

jest.setTimeout(110_000);

const shards = 8;
const cleanup = openCleanup();
let cluster: RedisCluster;
let flow: Flow;
let redis: Redis;
const merchants: Merchant[] = [];
beforeAll(async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  cluster = await startRedisCluster({ dir: folder.path });
  cleanup.add(() => cluster.stop());
  flow = await startFlow({ redisUrl: cluster.url, shards });
  cleanup.add(() => flow.close());
  redis = connectWorker(cluster.url, testLog);
  cleanup.add(() => disconnect(redis));
  for (let count = 0; count < 6; count += 1) merchants.push(await flow.openMerchant());
});
afterAll(() => cleanup.run());

describe('A Redis Cluster of three nodes', () => {
  it('carries small and big orders of several merchants from POST to the signed webhooks', async () => {
    const big = { items: Array.from({ length: 200 }, () => buildItem()) };
    const receivers = [];
    for (const shop of merchants) {
      const receiver = await flow.receiver(shop, 'reward.issue');
      await flow.link(shop, 'ann', 'bob');
      await flow.boot(shop, { user_id: 'carol' });
      receivers.push(receiver);
    }
    await Promise.all(
      merchants.flatMap((shop) => [
        flow.sync(shop, buildOrder({ member_id: 'bob' })),
        flow.sync(shop, buildOrder(big)),
      ]),
    );
    for (const receiver of receivers) {
      await waitFor(() => receiver.received.length >= 2, { deadlineMs: 20_000, what: 'two webhooks' });
      expect(receiver.received.map(({ verified, event }) => [verified, event])).toEqual([
        [true, 'reward.issue'],
        [true, 'reward.issue'],
      ]);
    }
    await flow.queues.settled();
    expect(await flow.database.order.count()).toBe(2 * merchants.length);
  });

  it('has queues on every node', async () => {
    await waitFor(() => mastersOf(redis).length === 3, { what: 'the nodes' });
    const keys = await Promise.all(mastersOf(redis).map((node) => node.keys('*:meta')));
    expect(keys.map((ofNode) => ofNode.length > 0)).toEqual([true, true, true]);
    expect(new Set(merchants.map(({ id }) => shardOf(id, shards))).size).toBeGreaterThan(1);
  });

  it('keeps the newest of many requests for the same order', async () => {
    const [shop] = merchants as [Merchant];
    const requests = Array.from({ length: 60 }, (_, index) =>
      buildOrder({ order_id: 'same', paid_amount: 1_000 + index, order_amount: 2_000 }),
    );
    for (const order of requests) await flow.sync(shop, order);
    await flow.queues.settled();
    const stored = await flow.database.order.findFirst({ where: { merchantId: shop.id, orderId: 'same' } });
    expect(Number(stored?.paidAmount)).toBe(1_059);
  });

  it('loses no accepted order when the number of shards is reduced', async () => {
    const waiting = await startFlow({
      redisUrl: cluster.url,
      shards: 5,
      workers: false,
    });
    cleanup.add(() => waiting.close());
    const shops = [];
    for (let count = 0; count < 4; count += 1) shops.push(await waiting.openMerchant());
    for (const shop of shops) await waiting.sync(shop, buildOrder(), buildOrder());
    expect(await waiting.queues.pending('sync')).toBe(4);
    const { prefix } = waiting.environment;
    const used = shops.map(({ id }) => prefixOfShard(prefix, shardOf(id, 5)));
    await waitFor(async () => (await redis.get(`${prefix}:shards`)) === '5', { what: 'shards' });

    const workers = await startWorkers({ ...waiting.environment, shards: 1 });
    cleanup.add(() => workers.close());

    await waitFor(async () => (await waiting.database.order.count()) === 8, {
      deadlineMs: 20_000,
      what: `the orders of ${used.join(', ')}`,
    });
  });

  it('refuses orders with 503 while the nodes are frozen, and accepts them when they are back', async () => {
    const [shop] = merchants as [Merchant];
    const send = () => callApi(flow.url, syncPath, { orders: [buildOrder()] }, { key: shop.secretKey });
    for (const node of cluster.nodes) node.kill('SIGSTOP');
    try {
      await waitFor(async () => (await send()).status === 503, { what: 'a refusal' });
      const started = performance.now();
      expect((await send()).status).toBe(503);
      expect(performance.now() - started).toBeLessThan(scaled(1_000));
    } finally {
      for (const node of cluster.nodes) node.kill('SIGCONT');
    }
    await waitFor(async () => (await send()).status === 202, { deadlineMs: 20_000, what: 'a 202' });
    await flow.queues.settled();
  });
});
