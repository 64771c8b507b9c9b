import { Pool } from 'undici';
import { buildOrder } from '@rewardhook/testing';
import { callApi, syncPath } from '../../../tests/harness/call-api.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';

const connections = 40;

describe('the API under overload', () => {
  let flow: Flow;
  let api: RunningApi;
  let merchant: Merchant;
  let pool: Pool;
  let opened = 0;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    api = await startApi({ ...flow.environment, limits: { requestsInProgress: 1 } });
    merchant = await flow.openMerchant();
    pool = new Pool(api.url, { connections, pipelining: 1 });
    pool.on('connect', () => (opened += 1));
  });
  afterAll(async () => {
    await pool.close();
    await api.close();
    await flow.close();
  });

  const send = async (items = 0) => {
    const order = buildOrder({
      items: Array.from({ length: items }, () => buildOrder().items[0] ?? []) as [],
    });
    const answer = await pool.request({
      method: 'POST',
      path: syncPath,
      headers: { 'content-type': 'application/json', 'x-service-key': merchant.secretKey },
      body: Buffer.from(JSON.stringify({ orders: [order] })),
    });
    const body = (await answer.body.json()) as { code?: string; request_id?: string };
    return { orderId: order.order_id, status: answer.statusCode, headers: answer.headers, body };
  };
  const get = async (path: string) => (await fetch(`${api.url}${path}`)).status;
  const metric = (name: string) => api.metrics.registry.getSingleMetricAsString(`rewardhook_${name}`);

  /** Blocks the event loop in each of its iterations until it is stopped. */
  function blockEventLoop(ms: number): { stop(): void } {
    let blocked = true;
    const block = () => {
      if (!blocked) return;
      const end = performance.now() + ms;
      while (performance.now() < end);
      setImmediate(block);
    };
    block();
    return { stop: () => void (blocked = false) };
  }

  it('While the event loop is blocked, requests that would wait too long are refused, and health is answered', async () => {
    // Each iteration handles one request at most; those that wait for five seconds are refused.
    const blocking = blockEventLoop(50);
    const answers = await Promise.all(Array.from({ length: connections }, () => send(20)));
    const health = await Promise.all([get('/health/live'), get('/health/ready')]);
    blocking.stop();
    expect(health).toEqual([200, 200]);
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(connections);
    for (const { status, headers, body } of refused) {
      expect([status, headers['retry-after'], body.code]).toEqual([503, '1', 'service_unavailable']);
      expect(body.request_id).toBe(headers['x-request-id']);
    }
    expect(await metric('requests_refused_total')).toContain(`{reason="overload"} ${refused.length}`);

    // Nothing that was accepted is missing, and nothing that was refused is enqueued.
    const jobs = (await flow.queues.waiting('sync')) as { orders: { order_id: string }[] }[];
    expect(jobs.flatMap(({ orders }) => orders.map(({ order_id }) => order_id)).toSorted()).toEqual(
      answers
        .filter(({ status }) => status === 202)
        .map(({ orderId }) => orderId)
        .toSorted(),
    );

    // It recovers by itself, and clients continue on their connections.
    const before = opened;
    for (let sent = 0; sent < 5; sent += 1) expect((await send()).status).toBe(202);
    expect(opened).toBe(before);
    expect(await metric('requests_waiting')).toMatch(/requests_waiting 0$/m);
    expect(await metric('requests_in_progress')).toMatch(/requests_in_progress 0$/m);
  });

  it('A request of 2 MiB on an idle system does not cause a refusal of others', async () => {
    const padding = 'x'.repeat(2_000_000);
    const body = JSON.stringify({ padding, orders: [buildOrder()] });
    const sync = (sent: unknown) => callApi(flow.url, syncPath, sent, { key: merchant.secretKey });
    const others = () => Promise.all(Array.from({ length: 10 }, () => sync({ orders: [buildOrder()] })));
    const answers = await Promise.all([sync(body), others()]);
    expect(answers.flat().map(({ status }) => status)).toEqual(Array.from({ length: 11 }, () => 202));
  });
});
