import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { startReceiver, waitFor } from '@rewardhook/local-stack';
import type { Bench } from '../stack/bench.ts';
import { addWebhook } from '../stack/create-merchant.ts';
import { linkMembers } from '../stack/link-members.ts';
import { makeOrders } from './make-orders.ts';

/** One order of a steady merchant: milliseconds from its POST, when that was due, to each step of its way. */
export interface SteadyOrder {
  /** The request got its version: it was read, admitted and validated. */
  accepted: number;
  /** The 202. */
  answered: number;
  /** The transaction began that stores it. */
  storing: number;
  /** Its decision was inserted. */
  decided: number;
  /** The attempt to deliver its first event began. */
  attempted: number;
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

  const sendOne = async (dueAt: number): Promise<SentOrder> => {
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
    return { orderId: order.order_id, dueAt, answered, received };
  };

  return {
    async sendUntil(end) {
      const state = { ended: false };
      const ending = end.finally(() => (state.ended = true));
      const orders: Promise<SentOrder>[] = [];
      const startedAt = performance.now();
      while (!state.ended) {
        const dueAt = startedAt + orders.length * everyMs;
        await setTimeout(Math.max(0, dueAt - performance.now()));
        // Only the timer is late when the bench itself is: the order counts from its POST.
        orders.push(sendOne(performance.now()));
      }
      await ending;
      return addSteps(bench, merchant.merchantId, await Promise.all(orders));
    },
    async close() {
      await pool.close();
      await receiver.close();
    },
  };
}

/** An order as the client sees it; `dueAt` as `performance.now()`. */
interface SentOrder extends Pick<SteadyOrder, 'answered' | 'received'> {
  orderId: string;
  dueAt: number;
}

/** Adds what PostgreSQL knows about each order: the clock of this machine is that of all processes. */
async function addSteps({ sql }: Bench, merchantId: string, sent: SentOrder[]): Promise<SteadyOrder[]> {
  const { rows } = await sql.query<
    { orderId: string } & Record<'accepted' | 'storing' | 'decided' | 'attempted', number>
  >(
    `SELECT o.order_id AS "orderId", o.version / 1000.0::float8 AS accepted,
       extract(epoch FROM o.created_at)::float8 * 1000 AS storing,
       extract(epoch FROM (
         SELECT min(created_at) FROM decisions d WHERE d.merchant_id = $1 AND d.order_id = o.order_id))::float8
         * 1000 AS decided,
       extract(epoch FROM (
         SELECT min(a.started_at) FROM rewards w
         JOIN events e ON e.merchant_id = $1 AND e.reward_id = w.id
         JOIN deliveries y ON y.merchant_id = $1 AND y.event_id = e.id
         JOIN attempts a ON a.delivery_id = y.id
         WHERE w.merchant_id = $1 AND w.order_id = o.order_id))::float8 * 1000 AS attempted
     FROM orders o WHERE o.merchant_id = $1 AND o.order_id = ANY($2)`,
    [merchantId, sent.map(({ orderId }) => orderId)],
  );
  const byId = new Map(rows.map((row) => [row.orderId, row]));
  return sent.map(({ orderId, dueAt, answered, received }) => {
    const row = byId.get(orderId);
    const since = (epochMs: number | undefined) => (epochMs ?? Number.NaN) - performance.timeOrigin - dueAt;
    return {
      accepted: since(row?.accepted),
      answered,
      storing: since(row?.storing),
      decided: since(row?.decided),
      attempted: since(row?.attempted),
      received,
    };
  });
}
