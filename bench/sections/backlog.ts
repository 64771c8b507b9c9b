import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { makeOrders } from '../load/make-orders.ts';
import type { StreamPlan, StreamResult } from '../load/stream-plan.ts';
import { sampleMemory } from '../measure/sample-memory.ts';
import { median, percentile } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { profile } from '../report/profile.ts';
import { batch, connections, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import type { Merchant } from '../stack/create-merchant.ts';
import { runOrders } from './run-orders.ts';
import { openTask } from '../tasks/open-task.ts';

/** The orders are those of several merchants, so that none reaches the limit of what one merchant may have waiting. */
const merchants = 10;
const probePauseMs = 500;

/** Stops the workers, lets orders wait in Redis, starts the workers, and measures how the orders are stored. */
export async function measureBacklog(bench: Bench): Promise<Figure[]> {
  const { settings, stack, queues, redis } = bench;
  const { backlogOrders: orders } = settings;
  const section = `Backlog: ${orders.toLocaleString('en')} orders of ${merchants} merchants wait while no worker runs`;
  const sync = queues.find(({ name }) => name === 'sync');
  const owners = await Promise.all(
    Array.from({ length: merchants }, (_, index) => bench.createMerchant(`bench backlog ${index}`)),
  );
  const other = await bench.createMerchant('bench fresh');
  bench.log('backlog: warming up');
  for (let run = 0; run < 2; run += 1) await runOrders(bench, { orders: settings.orders });
  await waitUntilIdle(bench);
  await sync?.pause();
  const memory = sampleMemory(stack);
  const load = await openTask<StreamPlan, null, StreamResult>('load/stream-orders.ts', {
    url: `${stack.apiUrl}/api/open/orders/sync/`,
    keys: owners.map(({ secretKey }) => secretKey),
    prefix: `K${Date.now()}`,
    ordersPerMember,
    batch,
    pace: { kind: 'all', requests: orders / batch, connections },
  });
  try {
    bench.log(`backlog: ${orders} orders are accepted`);
    const redisBefore = await usedMemory(redis);
    const accepted = await load.call();
    const redisWaiting = (await usedMemory(redis)) - redisBefore;
    const probes: number[] = [];
    const drained = new AbortController();
    bench.log('backlog: the workers are on');
    const progress = watchProgress(bench, orders);
    await sync?.resume();
    const [rates] = await Promise.all([
      progress.finally(() => drained.abort()),
      probe(bench, other, probes, drained.signal),
    ]);
    await waitUntilIdle(bench, 600_000);
    const stored = await countOrders(bench, owners);
    await memory.stop();
    const usual = median(rates);
    const ascending = probes.toSorted((a, b) => a - b);
    const redisPeak = Number(/^used_memory_peak:(\d+)/m.exec(await redis.info('memory'))?.[1]);
    return [
      {
        section,
        name: 'drain rate, median of the tenths',
        value: usual,
        unit: 'orders/s',
        note: `by tenth: ${rates.map((rate) => Math.round(rate)).join(', ')}`,
      },
      {
        section,
        name: 'greatest distance of a tenth from the median',
        value: (Math.max(...rates.map((rate) => Math.abs(rate - usual))) / usual) * 100,
        unit: '%',
        goal: { of: 'value', atMost: 10 },
        bottleneck: profile.backlog,
      },
      {
        section,
        name: 'the last three tenths',
        value: median(rates.slice(-3)),
        unit: 'orders/s',
        reference: { name: 'the first three tenths', value: median(rates.slice(0, 3)) },
        goal: { of: 'ratio', atLeast: 0.9 },
        bottleneck: profile.backlog,
      },
      {
        section,
        name: "another merchant's order during the drain, POST to stored, slowest",
        value: percentile(ascending, 1),
        unit: 'ms',
        goal: { of: 'value', atMost: 2_000 },
        note: `${probes.length} orders one after the other; p50 ${Math.round(percentile(ascending, 0.5))} ms, p99 ${Math.round(percentile(ascending, 0.99))} ms`,
      },
      {
        section,
        name: 'Redis, per order that waits',
        value: redisWaiting / orders,
        unit: 'bytes',
        goal: { of: 'value', atMost: 1_000 },
        note: `peak of used_memory ${Math.round(redisPeak / 1e6)} MB`,
      },
      {
        section,
        name: 'accepted orders that are not stored',
        value: accepted.acceptedRequests.length * batch - stored,
        unit: '',
        goal: { of: 'value', atMost: 0 },
        note: `accepted in ${Math.round(accepted.seconds)} s: ${Math.round(orders / accepted.seconds)} orders/s`,
      },
      ...Object.entries(memory.peaks()).map(([name, value]): Figure => ({
        section,
        name: `${name}, peak resident`,
        value,
        unit: 'MB',
        ...(name === 'redis' || name === 'postgres' ? {} : { goal: { of: 'value', atMost: 200 } }),
      })),
    ];
  } finally {
    await sync?.resume();
    await Promise.all([load.close(), memory.stop()]);
  }
}

/** Resolves with the rate of each tenth of the backlog, in orders a second, when the queue is empty. */
async function watchProgress({ queues }: Bench, orders: number): Promise<number[]> {
  const queue = queues.find(({ name }) => name === 'sync');
  const jobsNow = async () =>
    Object.values((await queue?.getJobCounts('waiting', 'prioritized', 'active', 'delayed')) ?? {}).reduce(
      (sum, jobs) => sum + jobs,
      0,
    );
  const jobs = await jobsNow();
  const ends: number[] = [];
  const started = performance.now();
  let before = { done: 0, at: started };
  while (ends.length < 10) {
    await setTimeout(100);
    const now = { done: jobs - (await jobsNow()), at: performance.now() };
    // The time at which a tenth ended lies between two readings.
    for (let end = (jobs * (ends.length + 1)) / 10; ends.length < 10 && now.done >= end;) {
      const share = (end - before.done) / Math.max(now.done - before.done, 1);
      ends.push(before.at + share * (now.at - before.at));
      end = (jobs * (ends.length + 1)) / 10;
    }
    before = now;
  }
  return ends.map((end, index) => orders / 10 / ((end - (ends[index - 1] ?? started)) / 1_000));
}

/** Sends an order, waits until it is stored, records the time in milliseconds, and repeats this until it is stopped. */
async function probe(bench: Bench, merchant: Merchant, times: number[], signal: AbortSignal): Promise<void> {
  const plan = { prefix: `F${Date.now()}`, orders: 0, ordersPerMember };
  for (let number = 0; !signal.aborted; number += 1) {
    const orders = makeOrders(plan, number, number + 1);
    const started = performance.now();
    const response = await request(`${bench.stack.apiUrl}/api/open/orders/sync/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': merchant.secretKey },
      body: JSON.stringify({ orders }),
    });
    await response.body.dump();
    if (response.statusCode !== 202) throw new Error(`a fresh order was answered ${response.statusCode}`);
    while (!(await isStored(bench, merchant, orders[0]?.order_id ?? ''))) await setTimeout(10);
    times.push(performance.now() - started);
    await setTimeout(probePauseMs, undefined, { signal }).catch(() => undefined);
  }
}

async function isStored({ sql }: Bench, { merchantId }: Merchant, orderId: string): Promise<boolean> {
  const { rows } = await sql.query('SELECT FROM orders WHERE merchant_id = $1 AND order_id = $2', [
    merchantId,
    orderId,
  ]);
  return rows.length > 0;
}

async function countOrders({ sql }: Bench, owners: Merchant[]): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM orders WHERE merchant_id = ANY($1)',
    [owners.map(({ merchantId }) => merchantId)],
  );
  return rows[0]?.count ?? 0;
}

async function usedMemory(redis: Bench['redis']): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}
