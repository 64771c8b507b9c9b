import { buildOrder, waitFor } from '@rewardhook/testing';
import { callApi, syncPath } from '../../../../tests/harness/call-api.ts';
import { startApi } from '../../../../tests/harness/start-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../../tests/harness/private-redis.ts';
import type { Answer } from '../../../../tests/harness/call-api.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import type { PrivateRedis } from '../../../../tests/harness/private-redis.ts';
import type { RunningApi } from '../../../../tests/harness/start-api.ts';

const rates = { keyRequests: 3, keyOrders: 50 };
const ordersOf = (count: number) => ({
  orders: Array.from({ length: count }, () => buildOrder({ items: [] })),
});

describe('the limits of a key', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  /** Two processes with limits, beside the one of the flow, which has none. */
  let apis: [RunningApi, RunningApi];
  let merchant: Merchant;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    apis = [
      await startApi({ ...flow.environment, rates }),
      await startApi({ ...flow.environment, rates: { keyOrders: rates.keyOrders } }),
    ];
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
  });
  afterAll(async () => {
    await redis.kill('SIGCONT');
    for (const api of apis) await api.close();
    await flow.close();
    await redis.remove();
  });

  const send = (api: RunningApi, body: unknown, key = merchant.secretKey) =>
    callApi(api.url, syncPath, body, { key });
  const read = (api: RunningApi, key = merchant.secretKey) =>
    callApi(api.url, '/api/open/events/', undefined, { key, method: 'GET' });
  const count = (answers: Answer[], status: number) =>
    answers.filter((answer) => answer.status === status).length;
  function expectRefusal({ status, body, headers }: Answer): void {
    expect([status, body.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(body.request_id).toBe(headers.get('x-request-id'));
  }

  it('Requests above the limit of their key are refused with 429, and nothing of them is stored', async () => {
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 40 }, () => send(apis[0], ordersOf(1))));
    const seconds = (performance.now() - startedAt) / 1_000;
    const accepted = count(answers, 202);
    expect(accepted).toBeGreaterThanOrEqual(rates.keyRequests);
    expect(accepted).toBeLessThanOrEqual(Math.ceil(rates.keyRequests * (1 + seconds)));
    for (const answer of answers.filter(({ status }) => status !== 202)) expectRefusal(answer);
    expect(await flow.queues.waiting('sync')).toHaveLength(accepted);
    const metrics = await apis[0].metrics.registry.metrics();
    expect(metrics).toContain(`rewardhook_requests_refused_total{reason="key_requests"} ${40 - accepted}`);
  });

  it('Each key has its own limit, on every route for secret keys', async () => {
    const flood = await Promise.all(Array.from({ length: 20 }, () => read(apis[0])));
    expectRefusal(flood.find(({ status }) => status !== 200) as Answer);
    const other = await flow.admin('key create', { merchant: merchant.id, kind: 'secret' });
    expect((await read(apis[0], String(other['key']))).status).toBe(200);
    expect((await send(apis[0], ordersOf(1), (await flow.openMerchant()).secretKey)).status).toBe(202);
  });

  it('A limit of the merchant replaces that of its keys in either direction, and counts over all of them', async () => {
    const limit = (perSecond: string, of = merchant) =>
      flow.admin('merchant update', { merchant: of.id, 'requests-per-second': perSecond });
    const unlimited = await flow.openMerchant();
    await limit('0', unlimited);
    for (let request = 0; request < 3 * rates.keyRequests; request += 1)
      expect((await read(apis[0], unlimited.secretKey)).status).toBe(200);
    await limit('2');
    const other = await flow.admin('key create', { merchant: merchant.id, kind: 'secret' });
    const keys = [merchant.secretKey, String(other['key'])];
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => read(apis[i % 2 ? 0 : 1], keys[i % 2])),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(count(answers, 200)).toBeLessThanOrEqual(Math.ceil(2 * (1 + seconds)));
    const refused = answers.find(({ status }) => status !== 200) as Answer;
    expectRefusal(refused);
    expect(refused.body.message).toContain('A merchant may send 2 requests a second');
    const metrics = await apis[0].metrics.registry.metrics();
    expect(metrics).toContain('rewardhook_requests_refused_total{reason="merchant_requests"}');
    await limit('setting');
    const { merchant: shown } = await flow.admin('merchant show', { merchant: merchant.id });
    expect(shown).toMatchObject({ requestsPerSecond: null });
    await expect(limit('-1')).rejects.toThrow('--requests-per-second must be 0, a number from 1');
  });

  it('The limit of requests counts refused bodies too, the limit of orders does not', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(apis[0], { orders: [] })));
    expect(count(answers, 400)).toBeGreaterThan(0);
    expect(count(answers, 400) + count(answers, 429)).toBe(20);
    expect(count(answers, 429)).toBeGreaterThan(0);
    const ofOrders = await Promise.all(Array.from({ length: 20 }, () => send(apis[1], { orders: [] })));
    expect(count(ofOrders, 400)).toBe(20);
  });

  it('Two processes share the limit of orders', async () => {
    const startedAt = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send(apis[index % 2] as RunningApi, ordersOf(10))),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(count(answers, 202)).toBeGreaterThan(0);
    expect(10 * count(answers, 202)).toBeLessThanOrEqual(Math.ceil(rates.keyOrders * (1 + seconds)));
    expect(count(answers, 202) + count(answers, 429)).toBe(30);
  });

  it('A request with more orders than a second allows is accepted, and delays the next ones', async () => {
    expect((await send(apis[1], ordersOf(500))).status).toBe(202);
    const refused = await send(apis[1], ordersOf(1));
    expectRefusal(refused);
    // 500 orders take 10 seconds.
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
  });

  it('Responses have the RateLimit headers of both limits, and without limits none', async () => {
    const accepted = await send(apis[0], ordersOf(5));
    expect(accepted.status).toBe(202);
    const { headers } = accepted;
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=3;w=1, "orders";q=50;w=1');
    expect(headers.get('ratelimit')).toMatch(/^"requests";r=\d;t=\d, "orders";r=45;t=1$/);
    expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual(['3', '2']);
    expect(headers.get('ratelimit-reset')).toBe('1');
    const { secretKey } = await flow.openMerchant();
    await send(apis[1], ordersOf(500), secretKey);
    const refused = await send(apis[1], ordersOf(1), secretKey);
    expect(refused.headers.get('ratelimit')).toMatch(/^"orders";r=0;t=\d+$/);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const { headers: without } = await flow.call(syncPath, ordersOf(1), { key: merchant.secretKey });
    expect([...without.keys()].filter((name) => name.startsWith('ratelimit'))).toEqual([]);
  });

  it('Without limits a key sends Redis nothing for them', async () => {
    await flow.call(syncPath, ordersOf(1), { key: merchant.secretKey });
    const keys = (await redis.send('KEYS', `*:limit:*${merchant.id}*`)) as string[];
    const keyIds = await flow.database.apiKey.findMany({ where: { merchantId: merchant.id } });
    for (const { id } of keyIds) keys.push(...((await redis.send('KEYS', `*${id}*`)) as string[]));
    expect(keys).toEqual([]);
  });

  it.each(['SIGSTOP', 'SIGKILL'] as const)(
    'After %s of Redis the limit still holds in each process, and no request fails because of it',
    async (signal) => {
      expect((await read(apis[0])).status).toBe(200);
      await redis.kill(signal);
      // Until the watch of Redis has seen it, a charge may wait for its time-out.
      const answers = await Promise.all(Array.from({ length: 20 }, () => read(apis[0])));
      expect(count(answers, 200) + count(answers, 429)).toBe(20);
      expect(count(answers, 429)).toBeGreaterThan(0);
      for (let sent = 0; sent < 10; sent += 1) expect([200, 429]).toContain((await read(apis[0])).status);
      if (signal === 'SIGKILL') await redis.start();
      else await redis.kill('SIGCONT');
      await waitFor(async () => (await send(apis[0], ordersOf(1))).status === 202, { what: 'the recovery' });
    },
  );
});
