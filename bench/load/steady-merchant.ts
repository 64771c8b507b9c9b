import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { startReceiver, waitFor } from '@rewardhook/local-stack';
import type { Bench } from '../stack/bench.ts';
import { addWebhook } from '../stack/create-merchant.ts';
import { linkMembers } from '../stack/link-members.ts';
import { makeOrders } from './make-orders.ts';

/** One order of a steady merchant: milliseconds from its POST, when that was due. */
export interface SteadyOrder {
  /** The 202. */
  answered: number;
  /** The webhook. */
  received: number;
}

/** A merchant that sends one order of a linked member at fixed intervals; each order earns rewards and makes a webhook. */
export interface SteadyMerchant {
  /** Sends until the promise is fulfilled, then waits for the last webhook. */
  sendUntil(end: Promise<unknown>): Promise<SteadyOrder[]>;
  close(): Promise<void>;
}

/** The most orders that one steady merchant can send: so many members are linked. */
const mostOrders = 4_000;

/** Creates the merchant, its webhook and its members. */
export async function openSteadyMerchant(bench: Bench, everyMs: number): Promise<SteadyMerchant> {
  const merchant = await bench.createMerchant('bench steady');
  const receiver = await startReceiver({ signingSecret: merchant.signingSecret });
  const arrivals = new Map<string, number>();
  receiver.onReceived(({ rawBody }) => {
    const { data } = JSON.parse(rawBody.toString()) as { data: { order: { order_id: string } } };
    const id = data.order.order_id;
    if (!arrivals.has(id)) arrivals.set(id, performance.now());
  });
  await addWebhook(bench.database, merchant.merchantId, receiver.url);
  const plan = { prefix: `S${Date.now()}`, orders: mostOrders, ordersPerMember: 1 };
  await linkMembers(bench.sql, merchant.merchantId, plan);
  const pool = new Pool(bench.stack.apiUrl, { connections: 16 });
  const headers = { 'content-type': 'application/json', 'x-service-key': merchant.secretKey };
  let sent = 0;

  const sendOne = async (dueAt: number): Promise<SteadyOrder> => {
    const [order] = makeOrders(plan, sent, sent + 1);
    if (order === undefined || (sent += 1) > mostOrders)
      throw new Error('the steady merchant has no more members');
    // The time counts from the first POST: a 503 is answered by sending the request again.
    for (let attempt = 0; ; attempt += 1) {
      const answer = await pool.request({
        method: 'POST',
        path: '/api/open/orders/sync/',
        headers,
        body: JSON.stringify({ orders: [order] }),
      });
      const text = await answer.body.text();
      if (answer.statusCode === 202) break;
      if (answer.statusCode !== 503 || attempt === 5)
        throw new Error(`the API answered ${answer.statusCode} ${text}`);
      bench.log('the API refused an order of the steady merchant; it was sent again');
      await setTimeout(100 * 2 ** attempt);
    }
    const answered = performance.now() - dueAt;
    await waitFor(() => arrivals.has(order.order_id), {
      deadlineMs: 120_000,
      everyMs: 5,
      what: `the webhook of ${order.order_id}`,
    });
    const received = (arrivals.get(order.order_id) ?? Number.NaN) - dueAt;
    return { answered, received };
  };

  return {
    async sendUntil(end) {
      const state = { ended: false };
      const ending = end.finally(() => (state.ended = true));
      const orders: Promise<SteadyOrder>[] = [];
      const startedAt = performance.now();
      while (!state.ended) {
        const dueAt = startedAt + orders.length * everyMs;
        await setTimeout(Math.max(0, dueAt - performance.now()));
        // Only the timer is late when the bench itself is: the order counts from its POST.
        orders.push(sendOne(performance.now()));
      }
      await ending;
      return Promise.all(orders);
    },
    async close() {
      await pool.close();
      await receiver.close();
    },
  };
}
