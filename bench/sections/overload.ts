import { setTimeout } from 'node:timers/promises';
import { requestOf } from '../load/order-bodies.ts';
import type { StreamPlan, StreamResult } from '../load/stream-plan.ts';
import { sampleMemory } from '../measure/sample-memory.ts';
import { percentile } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { profile } from '../report/profile.ts';
import { batch, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import type { Merchant } from '../stack/create-merchant.ts';
import { openTask } from '../tasks/open-task.ts';
import type { Task } from '../tasks/open-task.ts';

/** Times what the service can take. */
const factor = 4;
/** An accepted request that takes longer is late. */
const lateMs = 250;
/** Another merchant sends single orders at this rate, during the load and after it. */
const othersPerSecond = 10;
const recoverySeconds = 15;

/**
 * Sends four times what the service can take, at a fixed rate whatever the responses, and then nothing but single orders
 * of another merchant. `ordersPerSecond` is what it can take.
 */
export async function measureOverload(bench: Bench, ordersPerSecond: number): Promise<Figure[]> {
  const seconds = bench.settings.overloadSeconds;
  const perSecond = (factor * ordersPerSecond) / batch;
  const section = `Overload: ${Math.round(perSecond)} requests of ${batch} orders a second for ${seconds} s, ${factor} times what it can take`;
  bench.log(`overload: ${Math.round(perSecond)} requests/s for ${seconds} s`);
  const [big, small] = [
    await bench.createMerchant('bench overload'),
    await bench.createMerchant('bench other'),
  ];
  const began = Date.now();
  const stream = (merchant: Merchant, name: string, pace: StreamPlan['pace'], orders: number) =>
    openTask<StreamPlan, null, StreamResult>('load/stream-orders.ts', {
      url: `${bench.stack.apiUrl}/api/open/orders/sync/`,
      keys: [merchant.secretKey],
      prefix: `O${began}${name}`,
      ordersPerMember,
      batch: orders,
      pace,
      lateMs,
    });
  const load = await stream(big, 'load', { kind: 'rate', perSecond, seconds }, batch);
  const beside = await stream(small, 'beside', { kind: 'rate', perSecond: othersPerSecond, seconds }, 1);
  const after = await stream(
    small,
    'after',
    { kind: 'rate', perSecond: othersPerSecond, seconds: recoverySeconds },
    1,
  );
  await warmUp(stream, [big, small]);
  // Redis syncs its file at every write: when the disk is slow, no 202 is faster.
  await bench.redis.call('CONFIG', 'SET', 'latency-monitor-threshold', '1');
  await bench.redis.call('LATENCY', 'RESET');
  const memory = sampleMemory(bench.stack);
  const health = watchHealth(bench.stack.apiUrl);
  try {
    const [during, others] = await Promise.all([load.call(), beside.call()]);
    const endedAt = Date.now();
    const healthTimes = await health.stop();
    const syncTimes = await slowestSyncs(bench);
    bench.log('overload: recovery');
    const recovery = await after.call();
    const lost = await countLost(bench, big, `O${began}load-`, during);
    const drainedSeconds = (Date.now() - endedAt) / 1_000;
    await memory.stop();
    const share = (status: string) => (during.responses[status] ?? 0) / during.sent;
    const answers = Object.entries(during.responses).map(([status, count]) => `${count} × ${status}`);
    return [
      {
        section,
        name: 'p99 of the accepted requests',
        value: during.accepted.p99Ms,
        unit: 'ms',
        goal: { of: 'value', atMost: lateMs },
        bottleneck: profile.overload,
        note: `of ${during.sent} requests: ${answers.join(', ')}, over ${during.connections} connections; p50 ${Math.round(during.accepted.p50Ms)} ms, max ${Math.round(during.accepted.maxMs)} ms`,
      },
      {
        section,
        name: 'p99 of those that were due after the first ten seconds',
        value: during.acceptedLater.p99Ms,
        unit: 'ms',
        note: `p50 ${Math.round(during.acceptedLater.p50Ms)} ms, max ${Math.round(during.acceptedLater.maxMs)} ms`,
      },
      {
        section,
        name: 'orders accepted a second',
        value: (during.accepted.count * batch) / during.seconds,
        unit: 'orders/s',
        reference: { name: 'what it can take', value: ordersPerSecond },
      },
      ...(during.refused.count > 0
        ? [
            { section, name: 'p50 of the refused requests', value: during.refused.p50Ms, unit: 'ms' },
            { section, name: 'p99 of the refused requests', value: during.refused.p99Ms, unit: 'ms' },
          ]
        : []),
      {
        section,
        name: 'requests without a response',
        value: share('error') * 100,
        unit: '%',
        goal: { of: 'value', atMost: 0 },
      },
      {
        section,
        name: 'refusals without Retry-After',
        value: during.withoutRetryAfter,
        unit: '',
        goal: { of: 'value', atMost: 0 },
      },
      {
        section,
        name: 'another merchant, single orders: accepted',
        value: (others.accepted.count / others.sent) * 100,
        unit: '%',
      },
      { section, name: 'another merchant, p99', value: others.accepted.p99Ms, unit: 'ms' },
      {
        section,
        name: 'readiness, slowest answer',
        value: percentile(healthTimes.ms, 1),
        unit: 'ms',
        note: `GET /health/ready on the port of the API, ${healthTimes.ms.length} times, ${healthTimes.failed} of them without 200`,
      },
      {
        section,
        name: 'Redis, slowest sync of its file in a second, median',
        value: percentile(syncTimes, 0.5),
        unit: 'ms',
        note: `of ${syncTimes.length} seconds; p90 ${percentile(syncTimes, 0.9)} ms, max ${percentile(syncTimes, 1)} ms. Redis syncs its file twice before a request is accepted`,
      },
      {
        section,
        name: 'recovery: last refusal or late response',
        value: recovery.lastBadSeconds,
        unit: 's after the load',
        goal: { of: 'value', atMost: 10 },
        note: `requests of another merchant, ${othersPerSecond} a second for ${recoverySeconds} s; then all accepted orders were stored ${Math.round(drainedSeconds)} s after the load`,
      },
      {
        section,
        name: 'accepted requests of which an order is missing',
        value: lost,
        unit: '',
        goal: { of: 'value', atMost: 0 },
      },
      ...Object.entries(memory.peaks()).map(([name, value]) => ({
        section,
        name: `${name}, peak resident`,
        value,
        unit: 'MB',
      })),
    ];
  } finally {
    await Promise.all([load.close(), beside.close(), after.close(), memory.stop(), health.stop()]);
  }
}

/** Both keys are in the cache of the API, as they are when a load grows. */
async function warmUp(
  stream: (
    merchant: Merchant,
    name: string,
    pace: StreamPlan['pace'],
    orders: number,
  ) => Promise<Task<null, StreamResult>>,
  merchants: Merchant[],
): Promise<void> {
  for (const [index, merchant] of merchants.entries()) {
    const task = await stream(merchant, `warm${index}`, { kind: 'all', requests: 20, connections: 2 }, 1);
    await task.call();
    await task.close();
  }
}

/** The slowest sync of the append-only file in each second, in milliseconds, ascending. */
async function slowestSyncs({ redis }: Bench): Promise<number[]> {
  const history = (await redis.call('LATENCY', 'HISTORY', 'aof-fsync-always')) as [number, number][];
  await redis.call('CONFIG', 'SET', 'latency-monitor-threshold', '0');
  return history.map(([, ms]) => ms).toSorted((a, b) => a - b);
}

/** Asks for readiness ten times a second. */
function watchHealth(apiUrl: string): { stop(): Promise<{ ms: number[]; failed: number }> } {
  const stopping = new AbortController();
  const ms: number[] = [];
  let failed = 0;
  const run = async () => {
    while (!stopping.signal.aborted) {
      const started = performance.now();
      const ok = await fetch(`${apiUrl}/health/ready`).then(
        (response) => response.ok,
        () => false,
      );
      ms.push(performance.now() - started);
      if (!ok) failed += 1;
      await setTimeout(100, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      return { ms: ms.toSorted((a, b) => a - b), failed };
    },
  };
}

/** Waits until the queue is empty, and counts accepted requests that have not all of their orders in the table. */
async function countLost(
  bench: Bench,
  { merchantId }: Merchant,
  /** Begins the order_id of the orders in question. */
  idPrefix: string,
  { acceptedRequests }: StreamResult,
): Promise<number> {
  await waitUntilIdle(bench, 600_000);
  const { rows } = await bench.sql.query<{ first: string; orders: number }>(
    `SELECT min(order_id) AS first, count(*)::int AS orders FROM orders
     WHERE merchant_id = $1 AND left(order_id, -9) = $3 GROUP BY right(order_id, 9)::int / $2`,
    [merchantId, batch, idPrefix],
  );
  const complete = new Set(
    rows.filter(({ orders }) => orders === batch).map(({ first }) => requestOf(first, batch)),
  );
  return acceptedRequests.filter((request) => !complete.has(request)).length;
}
