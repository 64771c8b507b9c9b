import { buildItem, buildOrder, startTcpProxy, waitFor } from '@rewardhook/testing';
import { startApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { startPrivateRedis } from '../../../tests/harness/private-redis.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { PrivateRedis } from '../../../tests/harness/private-redis.ts';
import { startRecordingProxy } from '../testing/recording-proxy.ts';
import type { RecordingProxy } from '../testing/recording-proxy.ts';
import { createClient, RewardhookError } from './index.ts';
import type { Client, ClientOptions, OrderInput } from './index.ts';

let redis: PrivateRedis;
let flow: Flow;
let merchant: Merchant;
let proxy: RecordingProxy;
beforeAll(async () => {
  redis = await startPrivateRedis();
  flow = await startFlow({ redisUrl: redis.url, workers: false });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  proxy = await startRecordingProxy(flow.url);
});
afterEach(() => proxy.close());
afterAll(async () => {
  await flow.close();
  await redis.remove();
});

const soon = { firstDelayMs: 20, maxDelayMs: 2_000, attempts: 40 };
const open = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ secretKey: merchant.secretKey, apiUrl: proxy.url, retry: soon, ...options });
const orders = (count: number): OrderInput[] =>
  Array.from({ length: count }, () => buildOrder({ items: [] }));
const bodies = () => proxy.requests.map(({ body }) => (JSON.parse(body) as { orders: OrderInput[] }).orders);
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as RewardhookError,
  );
const unavailable = { status: 503, body: '{"code":"service_unavailable","message":"Busy."}' };

describe('Sending orders', () => {
  it('Orders are split by number, by products and by size, and all are accepted in their order', async () => {
    const given = orders(5).map((order, index) => ({ ...order, order_id: `of-one-length-${index}` }));
    const client = open({ batch: { maxOrders: 2 } });
    expect(await client.orders.send(given)).toEqual({
      accepted_count: 5,
      superseded: [],
      invalid: [],
      warnings: {},
      order_ids: {},
    });
    expect(bodies()).toEqual([given.slice(0, 2), given.slice(2, 4), given.slice(4)]);
    const bytes = Buffer.byteLength(proxy.requests[0]?.body ?? '');
    proxy.requests.length = 0;
    await open({ batch: { maxBytes: bytes } }).orders.send(given);
    expect(bodies().map(({ length }) => length)).toEqual([2, 2, 1]);
    for (const { body } of proxy.requests) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bytes);
    proxy.requests.length = 0;
    expect((await open().orders.send(orders(1_001))).accepted_count).toBe(1_001);
    // While the API is overloaded it answers 503, and the request is sent again.
    expect([...new Set(bodies().map(({ length }) => length))]).toEqual([1_000, 1]);
    proxy.requests.length = 0;
    const large = orders(11).map((order) => ({
      ...order,
      items: Array.from({ length: 1_000 }, () => buildItem()),
    }));
    expect(
      (await open({ batch: { maxBytes: 10_000_000 } }).orders.send(large.slice(0, 1))).accepted_count,
    ).toBe(1);
    proxy.requests.length = 0;
    expect((await open().orders.send(large)).accepted_count).toBe(11);
    // By their products: ten of these orders are smaller than 2 MiB.
    expect([...new Set(bodies().map(({ length }) => length))]).toEqual([10, 1]);
    const text = '가'.repeat(255);
    const items = Array.from({ length: 400 }, () => buildItem({ product_name: text, sku: text }));
    proxy.requests.length = 0;
    expect((await open().orders.send(orders(4).map((order) => ({ ...order, items })))).accepted_count).toBe(
      4,
    );
    expect(bodies().map(({ length }) => length)).toEqual([3, 1]);
    for (const { body } of proxy.requests) expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_097_152);
    expect((await client.orders.send([])).accepted_count).toBe(0);
  });

  it('Of several orders with one id in a call only the last one is sent', async () => {
    const [first, other, last] = orders(3) as [OrderInput, OrderInput, OrderInput];
    const given = [first, other, { ...last, order_id: first.order_id }];
    expect((await open().orders.send(given)).accepted_count).toBe(2);
    expect(bodies()).toEqual([given.slice(1)]);
  });

  it('Of several orders with one id that say when they were changed, the newest one is sent', async () => {
    const [order] = orders(1) as [OrderInput];
    const state = (updated_at: string) => ({ ...order, updated_at });
    const newest = state('2026-11-21T19:00:01+09:00');
    const given = [state('2026-11-21T10:00:00Z'), newest, state('2026-11-21T09:59:59Z')];
    expect((await open().orders.send(given)).accepted_count).toBe(1);
    expect(bodies()).toEqual([[newest]]);
  });

  it.each(['2026-11-21T19:00:01', '9999-12-31T23:59:59Z'])(
    'A time that the API ignores does not decide which order with one id is sent: %s',
    async (ignored) => {
      const [order] = orders(1) as [OrderInput];
      const last = { ...order, updated_at: '2026-11-21T10:00:00Z' };
      await open().orders.send([{ ...order, updated_at: ignored }, last]);
      expect(bodies()).toEqual([[last]]);
    },
  );

  it('The fields of an error have the indexes of the list that was given, and the batches before are counted', async () => {
    const given = orders(4);
    given[2] = { ...given[2], order_amount: -1 } as OrderInput;
    const error = await errorOf(open({ batch: { maxOrders: 2 } }).orders.send(given));
    expect(error).toMatchObject({
      code: 'invalid_request',
      status: 400,
      params: { 'orders[2].order_amount': 'must be 0 or more' },
      orderIds: { 'orders[2]': given[2]?.order_id },
      acceptedCount: 2,
      requestId: expect.any(String),
    });
    expect(error?.message).toContain('orders[2].order_amount must be 0 or more');
  });

  it("With onInvalid: 'skip' the good orders are accepted, and the bad ones are returned with their errors", async () => {
    const given = orders(5);
    given[1] = { ...given[1], order_amount: -1 } as OrderInput;
    given[4] = { ...given[4], paid_at: 'yesterday', member_id: '' } as OrderInput;
    const sent = await open({ batch: { maxOrders: 3 } }).orders.send(given, { onInvalid: 'skip' });
    expect(sent.accepted_count).toBe(3);
    expect(sent.invalid).toEqual([
      { index: 1, order_id: given[1]?.order_id, errors: { 'orders[1].order_amount': 'must be 0 or more' } },
      {
        index: 4,
        order_id: given[4]?.order_id,
        errors: { 'orders[4].paid_at': expect.any(String), 'orders[4].member_id': expect.any(String) },
      },
    ]);
    expect(proxy.requests.map(({ status }) => status)).toEqual([400, 202, 400, 202]);
    expect(bodies().at(-1)).toEqual([given[3]]);
    const none = await open().orders.send([given[1], given[4]], { onInvalid: 'skip' });
    expect([none.accepted_count, none.invalid.length]).toEqual([0, 2]);
  });

  it('A request that a proxy refuses as too large is halved, down to one order, which then is the error', async () => {
    const given = orders(5);
    const large = { ...given[3], member_id: 'x'.repeat(250) } as OrderInput;
    given[3] = large;
    const size = (list: unknown[]) => Buffer.byteLength(JSON.stringify({ orders: list }));
    proxy.maxBodyBytes = size(given.slice(0, 2)) + 20;
    try {
      expect((await open().orders.send(given.slice(0, 3))).accepted_count).toBe(3);
      expect(bodies().map((list) => list.length)).toEqual([3, 2, 1]);
      proxy.maxBodyBytes = size([large]) - 1;
      const error = await errorOf(open().orders.send(given));
      expect(error).toMatchObject({
        status: 413,
        acceptedCount: 3,
        params: { 'orders[3]': 'is larger than a request may be' },
        orderIds: { 'orders[3]': large.order_id },
      });
      const sent = await open().orders.send(given, { onInvalid: 'skip' });
      expect([sent.accepted_count, sent.invalid.map(({ index }) => index)]).toEqual([4, [3]]);
    } finally {
      proxy.maxBodyBytes = Infinity;
    }
  });

  it('Misspelled fields are warnings, and errors of a strict call', async () => {
    const given = orders(3);
    const misspelled = { ...given[2], paidAt: null } as unknown as OrderInput;
    const list = [...given.slice(0, 2), misspelled];
    const client = open({ batch: { maxOrders: 2 } });
    const sent = await client.orders.send(list);
    expect(sent).toMatchObject({
      accepted_count: 3,
      warnings: { 'orders[2].paidAt': expect.stringContaining('paid_at') },
      order_ids: { 'orders[2]': misspelled.order_id },
    });
    const error = await errorOf(client.orders.send(list, { strict: true }));
    expect([error?.code, Object.keys(error?.params ?? {})]).toEqual([
      'invalid_request',
      ['orders[2].paidAt'],
    ]);
  });

  it('Orders that are sent during an outage of the queue are accepted when it ends', async () => {
    const given = orders(3);
    await redis.kill('SIGTERM');
    const sending = open().orders.send(given);
    await waitFor(() => proxy.requests.filter(({ status }) => status === 503).length > 1);
    await redis.start();
    expect((await sending).accepted_count).toBe(3);
    expect(proxy.requests.at(-1)?.status).toBe(202);
  });

  it('During an outage a state is not sent again when a newer one was given, so that the newest is stored', async () => {
    const order = buildOrder({ items: [], paid_amount: 1 });
    const [other] = orders(1) as [OrderInput];
    const newer = { ...order, paid_amount: 2 };
    proxy.answers.push(unavailable);
    const client = open({ retry: { ...soon, firstDelayMs: 400 } });
    const older = client.orders.send([order, other]);
    await waitFor(() => proxy.requests[0]?.status === 503);
    expect((await client.orders.send([newer])).accepted_count).toBe(1);
    expect(await older).toMatchObject({ accepted_count: 1, superseded: [order.order_id] });
    expect(bodies()).toEqual([[order, other], [newer], [other]]);
  });

  it('During an outage a state that says when it was changed is sent again, also when a later call had another one', async () => {
    const newer = buildOrder({ items: [], updated_at: '2026-11-21T10:00:01Z' });
    const older = { ...newer, updated_at: '2026-11-21T10:00:00Z' };
    proxy.answers.push(unavailable);
    const client = open({ retry: { ...soon, firstDelayMs: 400 } });
    const first = client.orders.send([newer]);
    await waitFor(() => proxy.requests[0]?.status === 503);
    await client.orders.send([older]);
    expect(await first).toMatchObject({ accepted_count: 1, superseded: [] });
    expect(
      bodies().toSorted((one, two) => (String(one[0]?.updated_at) < String(two[0]?.updated_at) ? -1 : 1)),
    ).toEqual([[older], [newer], [newer]]);
  });

  it('Of one order only one request is in progress, and the last state that was given is sent last', async () => {
    const [order] = orders(1) as [OrderInput];
    const states = Array.from({ length: 10 }, (_, paid_amount) => ({ ...order, paid_amount }));
    const client = open();
    const sent = await Promise.all(states.map((state) => client.orders.send([state])));
    expect(bodies()).toEqual([[states[0]], [states[9]]]);
    expect(sent.map(({ accepted_count }) => accepted_count)).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    // Other orders do not wait.
    const [slow, fast] = orders(2) as [OrderInput, OrderInput];
    proxy.answers.push({ ...unavailable, headers: { 'retry-after': '1' } });
    const waiting = client.orders.send([slow]);
    await client.orders.send([fast]);
    expect(bodies().at(-1)).toEqual([fast]);
    expect((await waiting).accepted_count).toBe(1);
  });

  it('A limited key is slowed down to its rate, and every order is accepted', async () => {
    const api = await startApi({ ...flow.environment, rates: { keyOrders: 10 } });
    try {
      const limited = await startRecordingProxy(api.url);
      const client = open({ apiUrl: limited.url, batch: { maxOrders: 20 } });
      const startedAt = performance.now();
      expect((await client.orders.send(orders(60))).accepted_count).toBe(60);
      expect(limited.requests.filter(({ status }) => status === 202)).toHaveLength(3);
      expect(limited.requests.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
      expect(performance.now() - startedAt).toBeGreaterThan(1_500);
      await limited.close();
    } finally {
      await api.close();
    }
  });

  it.each<[string, RecordingProxy['answers'][number], number, string]>([
    [
      'an error that repeating does not fix',
      { status: 413, body: '{"code":"payload_too_large","message":"x"}' },
      1,
      'payload_too_large',
    ],
    [
      'a lasting fault of the service',
      { status: 500, body: '{"code":"internal_error","message":"x"}' },
      3,
      'internal_error',
    ],
    [
      'a Retry-After beyond the maximum',
      { ...unavailable, headers: { 'retry-after': '60' } },
      1,
      'service_unavailable',
    ],
    [
      'a network that is too slow',
      { status: 408, body: '{"code":"request_timeout","message":"x"}' },
      3,
      'request_timeout',
    ],
    ['a lasting outage', unavailable, 3, 'service_unavailable'],
    ['the page of a proxy', { status: 502, body: '<h1>Bad gateway</h1>' }, 3, 'unexpected_response'],
    [
      'a redirect, which would take the key elsewhere',
      { status: 307, headers: { location: 'https://elsewhere.example' } },
      1,
      'unexpected_response',
    ],
    ['a page with status 200', { status: 200, body: '<h1>Welcome</h1>' }, 1, 'unexpected_response'],
  ])('A call ends with an error after %s', async (_what, answer, attempts, code) => {
    proxy.answers.push(answer, answer, answer, answer);
    const client = open({ retry: { attempts: 3, firstDelayMs: 1, maxRetryAfterMs: 1_000 } });
    const error = await errorOf(client.orders.send(orders(1)));
    expect([error?.code, proxy.requests.length]).toEqual([code, attempts]);
    expect(error?.message).not.toContain(merchant.secretKey);
  });

  it('A server that does not answer is unreachable after the timeout', async () => {
    const tcp = await startTcpProxy(flow.url);
    tcp.set('frozen');
    const client = open({ apiUrl: tcp.url, timeoutMs: 100, retry: { attempts: 2, firstDelayMs: 1 } });
    const error = await errorOf(client.orders.send(orders(1)));
    expect([error?.code, error?.status]).toEqual(['unreachable', undefined]);
    expect(error?.message).toMatch(/there was no answer within 100 ms/);
    await tcp.close();
    const refused = await errorOf(client.orders.send(orders(1)));
    expect([refused?.code, refused?.message]).toEqual(['unreachable', expect.stringMatching(/ECONNREFUSED/)]);
  });

  it('The pause of a merchant is waited for, although it is longer than the backoff', async () => {
    proxy.answers.push({ ...unavailable, headers: { 'retry-after': '1' } });
    const client = open({ retry: { firstDelayMs: 1, maxDelayMs: 1 } });
    expect((await client.orders.send(orders(1))).accepted_count).toBe(1);

    proxy.answers.push({ ...unavailable, headers: { 'retry-after': '300' } });
    const requestsBefore = proxy.requests.length;
    const abort = new AbortController();
    const sending = errorOf(open({ retry: {} }).orders.send(orders(1), { signal: abort.signal }));
    await waitFor(() => proxy.requests[requestsBefore]?.status === 503);
    abort.abort(new Error('stopped'));
    expect((await sending)?.message).toBe('stopped');
  });

  it('An aborted call ends at once with the reason, during a request and between two', async () => {
    proxy.answers.push({ ...unavailable, headers: { 'retry-after': '2' } });
    const abort = new AbortController();
    const sending = errorOf(open().orders.send(orders(1), { signal: abort.signal }));
    await waitFor(() => proxy.requests[0]?.status === 503);
    abort.abort(new Error('stopped'));
    expect((await sending)?.message).toBe('stopped');
    expect(proxy.requests).toHaveLength(1);
    const before = await errorOf(open().orders.send(orders(1), { signal: AbortSignal.abort() }));
    expect(before?.name).toBe('AbortError');
  });
});
