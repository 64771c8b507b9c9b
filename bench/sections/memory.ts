import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@rewardhook/local-stack';
import { makeOrders } from '../load/make-orders.ts';
import type { PostPlan, PostResult } from '../load/post-plan.ts';
import { peakRssMb } from '../measure/process-usage.ts';
import { waitUntilEvaluated, waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import type { Merchant } from '../stack/create-merchant.ts';
import { openTask } from '../tasks/open-task.ts';

const section = 'Memory';
const servers = ['postgres', 'redis'];

/** The largest requests: nearly 2 MiB. */
const largest = { batch: 1_000, items: 8 };
const attackers = 10;
const attackConnections = 80;
const requestsOfAttack = 200;
/** Connections that ask for a large order and never read, and how long they are open. */
const unread = { connections: 80, seconds: 10 };
const parkedJobs = 20;
/** The most jobs of `sync` that the dashboard shows on a page. */
const jobsPerPage = 4;

/**
 * Redis memory per waiting order, then the peak memory of every process over all sections that ran, with three attacks: the
 * largest requests over many connections, answers that nobody reads, and large jobs that are parked and listed.
 */
export async function measureMemory(bench: Bench): Promise<Figure[]> {
  bench.log('memory: waiting orders');
  const bytes = await bytesPerWaitingOrder(bench);
  bench.log(`memory: ${requestsOfAttack} of the largest requests over ${attackConnections} connections`);
  await sendLargest(bench);
  bench.log(`memory: ${unread.connections} connections that do not read`);
  await leaveUnread(bench);
  bench.log(`memory: ${parkedJobs} parked jobs`);
  await parkJobs(bench);
  return [
    {
      section,
      name: 'Redis, per order that waits',
      value: bytes,
      unit: 'bytes',
      note: 'in jobs of 100 orders of 2 items, sync paused',
    },
    ...bench.stack.processes().map(({ name, pid }): Figure => ({
      section,
      name: `${name}, peak resident`,
      value: peakRssMb(pid),
      unit: 'MB',
      ...(servers.includes(name) ? {} : { goal: { of: 'value', atMost: 250 } }),
    })),
  ];
}

let runs = 0;

async function post(
  bench: Bench,
  merchants: Merchant[],
  plan: Pick<PostPlan, 'orders' | 'batch' | 'items' | 'connections'>,
): Promise<void> {
  runs += 1;
  const load = await openTask<PostPlan, null, PostResult>('load/post-orders.ts', {
    ...plan,
    prefix: `M${Date.now()}-${runs}`,
    ordersPerMember,
    url: `${bench.stack.apiUrl}/api/open/orders/sync/`,
    key: merchants.map(({ secretKey }) => secretKey),
  });
  await load.call();
  await load.close();
}

async function bytesPerWaitingOrder(bench: Bench): Promise<number> {
  const { queues, settings } = bench;
  const sync = queues.find(({ name }) => name === 'sync');
  const merchant = await bench.createMerchant('bench memory');
  await waitUntilIdle(bench);
  await sync?.pause();
  try {
    const before = await usedMemory(bench);
    await post(bench, [merchant], { orders: settings.waitingOrders, batch, connections });
    return ((await usedMemory(bench)) - before) / settings.waitingOrders;
  } finally {
    await sync?.resume();
    await waitUntilIdle(bench);
  }
}

async function usedMemory({ redis }: Bench): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

async function sendLargest(bench: Bench): Promise<void> {
  const merchants = [];
  for (let made = 0; made < attackers; made += 1)
    merchants.push(await bench.createMerchant(`bench attacker ${made}`));
  // The same bodies for every merchant, so that the load generator need not hold all of them.
  const orders = requestsOfAttack * largest.batch;
  await post(bench, merchants, { ...largest, orders, connections: attackConnections });
  await waitUntilEvaluated(
    bench,
    merchants.map(({ merchantId }) => merchantId),
    orders,
  );
}

/** Asks for an order of 1,000 products over many connections, and reads none of the answers. */
async function leaveUnread(bench: Bench): Promise<void> {
  const merchant = await bench.createMerchant('bench unread');
  const plan = { prefix: `U${Date.now()}`, orders: 1, ordersPerMember, items: 1_000 };
  const [order] = makeOrders(plan, 0, 1);
  await post(bench, [merchant], { orders: 1, batch: 1, items: 1_000, connections: 1 });
  await waitUntilEvaluated(bench, merchant.merchantId, 1);
  const { rows } = await bench.sql.query<{ id: string }>(
    'SELECT order_id AS id FROM orders WHERE merchant_id = $1',
    [merchant.merchantId],
  );
  const { hostname, port } = new URL(bench.stack.apiUrl);
  const path = `/api/open/orders/${encodeURIComponent(rows[0]?.id ?? order?.order_id ?? '')}/`;
  const sockets = Array.from({ length: unread.connections }, () => {
    const socket = connect(Number(port), hostname);
    // The service may end the connection first.
    socket.on('error', () => undefined);
    socket.pause();
    const request = `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nX-Service-Key: ${merchant.secretKey}\r\n\r\n`;
    socket.write(request.repeat(20));
    return socket;
  });
  await setTimeout(unread.seconds * 1_000);
  for (const socket of sockets) socket.destroy();
}

/** Has PostgreSQL refuse the orders of a merchant, so that their jobs are parked, and lists them in the dashboard. */
async function parkJobs(bench: Bench): Promise<void> {
  const { sql, stack } = bench;
  const sync = bench.queues.find(({ name }) => name === 'sync');
  const merchant = await bench.createMerchant('bench parked');
  await sql.query(
    `ALTER TABLE orders ADD CONSTRAINT bench_parked CHECK (merchant_id <> '${merchant.merchantId}') NOT VALID`,
  );
  try {
    await post(bench, [merchant], { ...largest, orders: parkedJobs * largest.batch, connections: 4 });
    const parked = async () => (await sync?.getFailedCount()) === parkedJobs;
    await waitFor(parked, { deadlineMs: 180_000, what: `${parkedJobs} parked jobs` });
    const login = Buffer.from(`${stack.dashboardUser}:${stack.dashboardPassword}`).toString('base64');
    for (let read = 0; read < 5; read += 1)
      for (let page = 1; page <= parkedJobs / jobsPerPage; page += 1) {
        const query = `activeQueue=sync&status=failed&page=${page}&jobsPerPage=${jobsPerPage}`;
        const response = await fetch(`${stack.dashboardUrl}/api/queues?${query}`, {
          headers: { authorization: `Basic ${login}` },
        });
        if (response.status !== 200)
          throw new Error(`The dashboard answered ${response.status}: ${await response.text()}`);
        await response.text();
      }
  } finally {
    await sql.query('ALTER TABLE orders DROP CONSTRAINT bench_parked');
    await sync?.clean(0, parkedJobs, 'failed');
  }
}
