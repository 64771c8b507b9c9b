import { randomBytes } from 'node:crypto';
import { openDatabase, openSealer } from '@rewardhook/database';
import type { Database, Sealer } from '@rewardhook/database';
import { connectWorker, disconnect, prefixOfShard, shardOf } from '@rewardhook/pipeline';
import type { Redis } from '@rewardhook/pipeline';
import { buildItem, buildOrder, scaled, startReceiver, temporaryFolder, waitFor } from '@rewardhook/testing';
import { createTestDatabase, startRedisCluster } from '@rewardhook/testing/servers';
import type { RedisCluster } from '@rewardhook/testing/servers';
import { bootPath, callApi, callWithRetries, linkPath, syncPath } from './harness/call-api.ts';
import { openCleanup } from './harness/cleanup.ts';
import { openMerchant, userHashOf } from './harness/open-merchant.ts';
import type { Merchant } from './harness/open-merchant.ts';
import { openAdmin } from './harness/run-admin.ts';
import type { TestEnvironment } from './harness/start-api.ts';
import { startProcess } from './harness/start-process.ts';
import type { AppProcess } from './harness/start-process.ts';
import { testLog } from './harness/test-log.ts';

// The service runs as processes, and this file connects to each node by itself: ioredis leaves a timer open in a process that closes a
// connection to a cluster (docs/decisions/104).
jest.setTimeout(180_000);

const shards = 8;
const cleanup = openCleanup();
let cluster: RedisCluster;
let nodes: Redis[];
let service: Service;
const merchants: Merchant[] = [];
beforeAll(async () => {
  const folder = temporaryFolder();
  cleanup.add(() => folder.remove());
  cluster = await startRedisCluster({ dir: folder.path });
  cleanup.add(() => cluster.stop());
  nodes = cluster.nodes.map(({ port }) => connectWorker(`redis://127.0.0.1:${port}`, testLog));
  for (const node of nodes) cleanup.add(() => disconnect(node));
  service = await openService();
  await service.start('api', shards);
  await service.startWorkers(shards);
  for (let count = 0; count < 6; count += 1) merchants.push(await service.openMerchant());
});
afterAll(() => cleanup.run());

interface Service {
  environment: TestEnvironment;
  database: Database;
  url(): string;
  start(app: Parameters<typeof startProcess>[0], shards: number): Promise<AppProcess>;
  /** Starts the three stages. */
  startWorkers(shards: number): Promise<void>;
  openMerchant(): Promise<Merchant>;
  addWebhook(merchant: Merchant, url: string): Promise<void>;
  sync(merchant: Merchant, ...orders: object[]): Promise<void>;
  /** Waits until this number of orders is stored and no evaluation is due. */
  evaluated(orders: number): Promise<void>;
}

/** A database, and the processes on it. */
async function openService(): Promise<Service> {
  const testDatabase = await createTestDatabase();
  cleanup.add(() => testDatabase.drop());
  const environment: TestEnvironment = {
    databaseUrl: testDatabase.url,
    redisUrl: cluster.url,
    prefix: `{test-${randomBytes(6).toString('hex')}}`,
    secretsKey: randomBytes(32).toString('base64'),
  };
  const database = openDatabase({ url: testDatabase.url, poolSize: 4, applicationName: 'test' });
  cleanup.add(() => database.$disconnect());
  const sealer: Sealer = openSealer(environment.secretsKey);
  const admin = openAdmin(environment, database, sealer);
  let url = '';
  const start: Service['start'] = async (app, ofShards) => {
    const settings = { QUEUE_SHARDS: String(ofShards), WEBHOOK_ALLOW_LOOPBACK: 'true' };
    const running = await startProcess(app, environment, settings);
    cleanup.add(() => running.close());
    if (app === 'api') ({ url } = running);
    return running;
  };
  return {
    environment,
    database,
    url: () => url,
    start,
    async startWorkers(ofShards) {
      const apps = ['sync', 'reward-evaluation', 'webhook-delivery'] as const;
      await Promise.all(apps.map((app) => start(app, ofShards)));
    },
    openMerchant: () => openMerchant(database, sealer),
    async addWebhook({ id }, webhookUrl) {
      await admin('webhook add', { merchant: id, url: webhookUrl, events: 'reward.issue' });
    },
    async sync({ secretKey }, ...orders) {
      const { status } = await callWithRetries(url, syncPath, { orders }, { key: secretKey });
      expect(status).toBe(202);
    },
    async evaluated(orders) {
      const isDone = async () =>
        (await database.order.count()) === orders && (await database.dueBatch.count()) === 0;
      await waitFor(isDone, { deadlineMs: 30_000, what: `${orders} orders that are evaluated` });
    },
  };
}

describe('A Redis Cluster of three nodes', () => {
  it('carries small and big orders of several merchants from POST to the signed webhooks', async () => {
    const big = { items: Array.from({ length: 200 }, () => buildItem()) };
    const receivers = [];
    for (const shop of merchants) {
      const receiver = await startReceiver({ signingSecret: shop.signingSecret });
      cleanup.add(() => receiver.close());
      await service.addWebhook(shop, `${receiver.url}/hook`);
      const link = { referrer_member_id: 'ann', referee_member_id: 'bob' };
      await callWithRetries(service.url(), linkPath, link, { key: shop.secretKey });
      const carol = { user_id: 'carol', user_hash: userHashOf(shop, 'carol') };
      await callWithRetries(service.url(), bootPath, carol, { key: shop.publicKey });
      receivers.push(receiver);
    }
    await Promise.all(
      merchants.flatMap((shop) => [
        service.sync(shop, buildOrder({ member_id: 'bob' })),
        service.sync(shop, buildOrder(big)),
      ]),
    );
    for (const receiver of receivers) {
      await waitFor(() => receiver.received.length >= 2, { deadlineMs: 30_000, what: 'two webhooks' });
      expect(receiver.received.map(({ verified, event }) => [verified, event])).toEqual([
        [true, 'reward.issue'],
        [true, 'reward.issue'],
      ]);
    }
    await service.evaluated(2 * merchants.length);
  });

  it('has queues on every node', async () => {
    const keys = await Promise.all(nodes.map((node) => node.keys(`*:meta`)));
    expect(keys.map((ofNode) => ofNode.length > 0)).toEqual([true, true, true]);
    expect(new Set(merchants.map(({ id }) => shardOf(id, shards))).size).toBeGreaterThan(1);
  });

  it('keeps the newest of many requests for the same order', async () => {
    const [shop] = merchants as [Merchant];
    const requests = Array.from({ length: 60 }, (_, index) =>
      buildOrder({ order_id: 'same', paid_amount: 1_000 + index, order_amount: 2_000 }),
    );
    for (const order of requests) await service.sync(shop, order);
    const paidAmount = async () =>
      Number(
        (await service.database.order.findFirst({ where: { merchantId: shop.id, orderId: 'same' } }))
          ?.paidAmount,
      );
    await waitFor(async () => (await paidAmount()) === 1_059, { deadlineMs: 30_000, what: 'the newest' });
    await waitFor(async () => (await waitingRequests(service)) === 0, { what: 'requests that are stored' });
    expect(await paidAmount()).toBe(1_059);
  });

  it('loses no accepted order when the number of shards is reduced', async () => {
    const reduced = await openService();
    await reduced.start('api', 5);
    const shops = [];
    for (let count = 0; count < 4; count += 1) shops.push(await reduced.openMerchant());
    for (const shop of shops) await reduced.sync(shop, buildOrder(), buildOrder());
    expect(await waitingRequests(reduced)).toBe(4);
    const { prefix } = reduced.environment;
    const used = shops.map(({ id }) => prefixOfShard(prefix, shardOf(id, 5)));
    await waitFor(async () => (await readKey(`${prefix}:shards`)) === '5', { what: 'shards' });

    await reduced.startWorkers(1);

    await waitFor(async () => (await reduced.database.order.count()) === 8, {
      deadlineMs: 30_000,
      what: `the orders of ${used.join(', ')}`,
    });
  });

  it('refuses orders with 503 while the nodes are frozen, and accepts them when they are back', async () => {
    const [shop] = merchants as [Merchant];
    const before = await service.database.order.count();
    let accepted = 0;
    const send = async () => {
      const answer = await callApi(
        service.url(),
        syncPath,
        { orders: [buildOrder()] },
        { key: shop.secretKey },
      );
      if (answer.status === 202) accepted += 1;
      return answer.status;
    };
    for (const node of cluster.nodes) node.kill('SIGSTOP');
    try {
      await waitFor(async () => (await send()) === 503, { what: 'a refusal' });
      const started = performance.now();
      expect(await send()).toBe(503);
      expect(performance.now() - started).toBeLessThan(scaled(1_000));
    } finally {
      for (const node of cluster.nodes) node.kill('SIGCONT');
    }
    await waitFor(async () => (await send()) === 202, { deadlineMs: 30_000, what: 'a 202' });
    const isStored = async () => (await service.database.order.count()) >= before + accepted;
    await waitFor(isStored, { deadlineMs: 30_000, what: 'the accepted orders' });
  });
});

/** The number of requests that wait to be stored, over all shards and nodes. */
async function waitingRequests({ environment }: Service): Promise<number> {
  // {test-1} of shard 0, {test-1-3} of shard 3.
  const pattern = `${environment.prefix.slice(0, -1)}*:sync:*`;
  const counts = await Promise.all(
    nodes.map(async (node) => {
      const lists = (await node.keys(pattern)).filter((key) =>
        /:(?:wait|active|prioritized|delayed)$/.test(key),
      );
      const lengths = lists.map((key) => (/:(?:wait|active)$/.test(key) ? node.llen(key) : node.zcard(key)));
      return (await Promise.all(lengths)).reduce((sum, length) => sum + length, 0);
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The value of a key, on whichever node it is. */
async function readKey(key: string): Promise<string | null> {
  for (const node of nodes) if ((await node.keys(key)).includes(key)) return node.get(key);
  return null;
}
