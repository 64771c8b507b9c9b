import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Client } from 'pg';
import { buildOrder, projectRoot, waitFor } from '@rewardhook/testing';
import { programArguments } from '@rewardhook/testing/servers';
import { connectWorker, disconnect } from '@rewardhook/pipeline';
import { testLog } from '../harness/test-log.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startWorkers } from '../harness/start-workers.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

let flow: Flow;
let shop: Merchant;
let holder: Client;
let sync: ChildProcess | undefined;
let workers: { close(): Promise<void> } | undefined;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
  holder = new Client({ connectionString: flow.environment.databaseUrl });
  await holder.connect();
  shop = await flow.openMerchant();
});
afterAll(async () => {
  sync?.kill('SIGKILL');
  await holder?.end();
  await workers?.close();
  await flow?.close();
});

/** The sync stage as a process of its own. */
function spawnSync(): ChildProcess {
  const { databaseUrl, redisUrl, prefix } = flow.environment;
  return spawn(process.execPath, programArguments('apps/sync/main', 'built'), {
    cwd: projectRoot,
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: prefix,
      HEALTH_PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: 'ignore',
  });
}

async function emptyRedis(): Promise<void> {
  const redis = connectWorker(flow.environment.redisUrl, testLog);
  try {
    await waitFor(() => redis.status === 'ready', { everyMs: 5, what: 'a connection' });
    const keys = await redis.keys(`${flow.environment.prefix}:*`);
    if (keys.length > 0) await redis.del(keys);
  } finally {
    await disconnect(redis);
  }
}

const isDecided = async (orderId: string) =>
  (await flow.database.decision.count({ where: { merchantId: shop.id, orderId } })) > 0;

// The first test runs before there are workers in this process.
describe('An order of a member who is being linked', () => {
  it('is evaluated although sync is killed while it reads the link and Redis is emptied', async () => {
    await flow.link(shop, 'ann', 'bob');
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE referrals IN ACCESS EXCLUSIVE MODE');
    sync = spawnSync();
    const order = buildOrder({ member_id: 'bob' });
    await flow.sync(shop, order);
    const isSyncWaiting = async () => {
      const [row] = await flow.database.$queryRaw<{ n: number }[]>`
        SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()
          AND application_name = 'rewardhook-sync' AND wait_event_type = 'Lock'`;
      return row?.n === 1;
    };
    await waitFor(isSyncWaiting, { deadlineMs: 20_000, what: 'sync to wait for the table of links' });
    const exited = once(sync, 'exit');
    sync.kill('SIGKILL');
    await exited;
    await emptyRedis();
    await holder.query('ROLLBACK');

    workers = await startWorkers(flow.environment, { sweepAfterSeconds: 1 });
    await waitFor(() => isDecided(order.order_id), { deadlineMs: 10_000, what: 'the decision' });
  });

  it('is evaluated when the link is committed before the order and after sync has read the links', async () => {
    // A sync that has stored the order and not yet committed.
    const order = buildOrder({ member_id: 'carl' });
    const batch = { merchantId: shop.id, version: Date.now() * 1_000, orders: [order] };
    await holder.query('BEGIN');
    await holder.query('SELECT * FROM rules.store_orders($1)', [JSON.stringify([batch])]);
    expect((await flow.link(shop, 'ann', 'carl')).status).toBe(201);
    await holder.query('COMMIT');
    await waitFor(() => isDecided(order.order_id), { deadlineMs: 10_000, what: 'the decision' });
  });

  it('is evaluated in each of 40 pairs of a link and an order that arrive at the same time', async () => {
    const members = Array.from({ length: 40 }, (_, index) => `racer-${index}`);
    const orders = members.map((member_id) => buildOrder({ member_id }));
    await Promise.all(
      orders.flatMap((order, index) => [
        flow.link(shop, 'ann', order.member_id),
        index % 2 === 0 ? flow.sync(shop, order) : flow.sync(shop, order, buildOrder()),
      ]),
    );
    const orderIds = orders.map(({ order_id }) => order_id);
    const undecided = async () => {
      const decided = await flow.database.decision.findMany({
        where: { merchantId: shop.id, orderId: { in: orderIds } },
        distinct: ['orderId'],
      });
      return orderIds.length - decided.length;
    };
    await waitFor(async () => (await undecided()) === 0, { deadlineMs: 15_000, what: 'all decisions' });
  });
});
