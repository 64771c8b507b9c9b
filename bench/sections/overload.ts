import { requestOf } from '../load/order-bodies.ts';
import type { StreamPlan, StreamResult } from '../load/stream-plan.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import { batch, ordersPerMember } from '../settings.ts';
import type { Bench } from '../stack/bench.ts';
import type { Merchant } from '../stack/create-merchant.ts';
import { openTask } from '../tasks/open-task.ts';

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
  const prefix = `O${Date.now()}`;
  const single = { batch: 1, perSecond: othersPerSecond };
  const open = (merchant: Merchant, plan: Pick<StreamPlan, 'prefix' | 'batch' | 'perSecond' | 'seconds'>) =>
    openTask<StreamPlan, null, StreamResult>('load/stream-orders.ts', {
      ...plan,
      url: `${bench.stack.apiUrl}/api/open/orders/sync/`,
      key: merchant.secretKey,
      ordersPerMember,
      lateMs,
    });
  // Both keys are in the cache of the API, as they are when a load grows.
  for (const [index, merchant] of [big, small].entries()) {
    const task = await open(merchant, { ...single, prefix: `${prefix}warm${index}`, seconds: 2 });
    await task.call();
    await task.close();
  }
  const load = await open(big, { prefix: `${prefix}load`, batch, perSecond, seconds });
  const beside = await open(small, { ...single, prefix: `${prefix}beside`, seconds });
  const after = await open(small, { ...single, prefix: `${prefix}after`, seconds: recoverySeconds });
  try {
    const [during, others] = await Promise.all([load.call(), beside.call()]);
    bench.log('overload: recovery');
    const recovery = await after.call();
    const lost = await countLost(bench, big, `${prefix}load-`, during);
    const responses = Object.entries(during.responses).map(([status, count]) => `${count} × ${status}`);
    const figure = (name: string, value: number, unit: string, atMost?: number): Figure => ({
      section,
      name,
      value,
      unit,
      ...(atMost === undefined ? {} : { goal: { of: 'value', atMost } }),
    });
    return [
      {
        ...figure('p99 of the accepted requests', during.accepted.p99Ms, 'ms', lateMs),
        note: `of ${during.sent} requests: ${responses.join(', ')}; p50 ${Math.round(during.accepted.p50Ms)} ms, max ${Math.round(during.accepted.maxMs)} ms`,
      },
      {
        ...figure('accepted', (during.acceptedRequests.length * batch) / during.seconds, 'orders/s'),
        reference: { name: 'what it can take', value: ordersPerSecond },
      },
      figure('p99 of the refused requests', during.refused.p99Ms, 'ms'),
      figure('requests without a response', during.responses['error'] ?? 0, '', 0),
      figure('refusals without Retry-After', during.withoutRetryAfter, '', 0),
      figure('accepted requests of which an order is missing', lost, '', 0),
      figure(
        'another merchant, single orders: accepted',
        (others.acceptedRequests.length / others.sent) * 100,
        '%',
      ),
      figure('another merchant, p99', others.accepted.p99Ms, 'ms'),
      figure('recovery: last refusal or late response', recovery.lastBadSeconds, 's after the load', 10),
    ];
  } finally {
    await Promise.all([load.close(), beside.close(), after.close()]);
  }
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
