import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { withTimeout } from '@rewardhook/process';
import { startReceiver } from '@rewardhook/local-stack';
import { makeOrders } from '../load/make-orders.ts';
import { percentile } from '../measure/statistics.ts';
import { waitUntilIdle } from '../measure/wait-until-done.ts';
import type { Figure } from '../report/figure.ts';
import type { Bench } from '../stack/bench.ts';
import { linkMembers } from '../stack/link-members.ts';
import { addWebhook } from '../stack/create-merchant.ts';

const section = 'One order to an idle system';
/** Pause after each order, in milliseconds, so that the next one meets an idle system. */
const restMs = 25;

/** The time from the POST of an order that earns a reward to the first attempt at the receiver. */
export async function measureOneOrder(bench: Bench): Promise<Figure[]> {
  const { stack, settings } = bench;
  bench.log(`one order: ${settings.idleOrders} orders, one by one`);
  const merchant = await bench.createMerchant('bench one order');
  const receiver = await startReceiver({ signingSecret: merchant.signingSecret });
  const arrivals = new Map<string, (at: number) => void>();
  receiver.onReceived(({ rawBody, verified }) => {
    const at = performance.now();
    const { data } = JSON.parse(rawBody.toString()) as { data: { order: { order_id: string } } };
    if (verified) arrivals.get(data.order.order_id)?.(at);
  });
  const pool = new Pool(stack.apiUrl, { connections: 1 });
  const headers = { 'content-type': 'application/json', 'x-service-key': merchant.secretKey };
  const warmUp = 20;
  const plan = { prefix: `F${Date.now()}`, orders: settings.idleOrders + warmUp, ordersPerMember: 1 };
  try {
    await addWebhook(bench.database, merchant.merchantId, receiver.url);
    await linkMembers(bench.sql, merchant.merchantId, plan);
    await waitUntilIdle(bench);
    const answered: number[] = [];
    const attempted: number[] = [];
    for (const order of makeOrders(plan, 0, plan.orders)) {
      const arrival = new Promise<number>((resolve) => arrivals.set(order.order_id, resolve));
      const body = JSON.stringify({ orders: [order] });
      const sentAt = performance.now();
      const answer = await pool.request({ method: 'POST', path: '/api/open/orders/sync/', headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 202) throw new Error(`the API answered ${answer.statusCode}`);
      answered.push(performance.now() - sentAt);
      const arrivedAt = await withTimeout(arrival, 20_000, `no webhook for ${order.order_id}`);
      attempted.push(arrivedAt - sentAt);
      await waitUntilIdle(bench);
      await setTimeout(restMs);
    }
    return [
      ...figuresOf('202', answered.slice(warmUp)),
      ...figuresOf('its webhook', attempted.slice(warmUp), { p50: 25, p99: 100 }),
    ];
  } finally {
    await pool.close();
    await receiver.close();
  }
}

function figuresOf(name: string, times: number[], goals?: { p50: number; p99: number }): Figure[] {
  const ascending = times.toSorted((a, b) => a - b);
  const figure = (which: 'p50' | 'p99', share: number): Figure => ({
    section,
    name: `POST to ${name}, ${which}`,
    value: percentile(ascending, share),
    unit: 'ms',
    ...(goals ? { goal: { of: 'value', atMost: goals[which] } } : {}),
  });
  return [figure('p50', 0.5), figure('p99', 0.99)];
}
