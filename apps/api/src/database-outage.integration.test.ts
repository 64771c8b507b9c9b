import { buildOrder, waitFor } from '@rewardhook/testing';
import {
  bootPath,
  callApi,
  linkPath,
  startApi,
  startFlow,
  startTcpProxy,
  syncPath,
  userHashOf,
} from '../../../tests/harness/index.ts';
import type { Answer, Flow, Merchant, RunningApi, TcpProxy } from '../../../tests/harness/index.ts';

/** Short, so that the tests need not outwait the 2 s of production. */
const keyFreshMs = 300;

describe('the API when PostgreSQL fails', () => {
  let flow: Flow;
  let proxy: TcpProxy;
  let api: RunningApi;
  let shop: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    proxy = await startTcpProxy(flow.environment.databaseUrl);
    api = await startApi({ ...flow.environment, databaseUrl: proxy.url, keyFreshMs });
  });
  beforeEach(async () => {
    shop = await flow.openMerchant();
    // The database is left alone for a moment after it failed.
    await waitFor(async () => (await send(shop.secretKey)).status === 202, { what: 'a calm start' });
  });
  afterEach(() => proxy.set('open'));
  afterAll(async () => {
    await api.close();
    await proxy.close();
    await flow.close();
  });

  const send = (key: string, path = syncPath, body: unknown = { orders: [buildOrder({ items: [] })] }) =>
    callApi(api.url, path, body, { key });
  const newKey = async () => {
    const made = await flow.admin('key create', { merchant: shop.id, kind: 'secret' });
    return { key: String(made['key']), id: String(made['keyId']) };
  };
  function expectUnavailable({ status, body, headers }: Answer): void {
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  }

  it.each(['cut', 'frozen'] as const)('goes on taking orders of keys it has seen: %s', async (state) => {
    proxy.set(state);
    const before = await flow.queues.pending('sync');
    let sent = 0;
    // For longer than a key is remembered without being looked up again.
    const end = performance.now() + 3 * keyFreshMs;
    do {
      const { status, ms } = await send(shop.secretKey);
      expect(status).toBe(202);
      expect(ms).toBeLessThan(1_500);
      sent += 1;
    } while (performance.now() < end);
    expect(await flow.queues.pending('sync')).toBe(before + sent);
    expect((await send(shop.secretKey, syncPath, {})).body.code).toBe('invalid_request');
  });

  it.each(['cut', 'frozen'] as const)('answers 503 to a key it has not seen: %s', async (state) => {
    const { key } = await newKey();
    proxy.set(state);
    const first = await send(key);
    expectUnavailable(first);
    expect(first.ms).toBeLessThan(4_000);
    const next = await send(key);
    expectUnavailable(next);
    expect(next.ms).toBeLessThan(500);
    expect((await send('svc_sk_no-such-key')).body.code).toBe('invalid_api_key');
    expect((await send(shop.publicKey)).body.code).toBe('secret_key_required');
    proxy.set('open');
    await waitFor(async () => (await send(key)).status === 202, { what: 'the recovery' });
  });

  it('answers 503 wherever it needs the database, whatever is read, and recovers', async () => {
    const read = (path: string, key?: string) => callApi(api.url, path, undefined, { key, method: 'GET' });
    const calls: Record<string, () => Promise<Answer>> = {
      '/api/open/orders/:orderId/explain': () => read('/api/open/orders/1/explain/', shop.secretKey),
      '/api/open/events': () => read('/api/open/events/', shop.secretKey),
      '/api/open/members/boot': () =>
        send(shop.publicKey, bootPath, { user_id: 'ann', user_hash: userHashOf(shop, 'ann') }),
      '/api/open/members/link': () =>
        send(shop.secretKey, linkPath, { referrer_member_id: 'ann', referee_member_id: 'bob' }),
      '/r/:code': () => read('/r/ABCDEFGH'),
    };
    const without = ['/api/open/orders/sync', '/health/live', '/health/ready'];
    const { stack } = api.app.router as unknown as { stack: { handle: { stack?: unknown } }[] };
    const routes = stack.flatMap(({ handle }) => (handle.stack ?? []) as { route?: { path: string } }[]);
    const paths = new Set(routes.flatMap(({ route }) => (route ? [route.path] : [])));
    expect([...paths].toSorted()).toEqual([...Object.keys(calls), ...without].toSorted());

    // Both keys are known: what follows fails in the route itself.
    expect((await calls['/api/open/members/boot']?.())?.status).toBe(200);
    proxy.set('cut');
    for (const [path, call] of Object.entries(calls)) {
      const answer = await call();
      expect([path, answer.status, answer.body.code]).toEqual([path, 503, 'service_unavailable']);
      expectUnavailable(answer);
    }
    proxy.set('open');
    for (const call of Object.values(calls))
      await waitFor(async () => (await call()).status < 500, { what: 'the recovery' });
  });

  it('stops taking a revoked key within seconds, a key that is in constant use too', async () => {
    const { key, id } = await newKey();
    // The other API: it remembers keys for as long as in production.
    const sendIt = () => flow.call(syncPath, { orders: [buildOrder({ items: [] })] }, { key });
    expect((await sendIt()).status).toBe(202);
    await flow.admin('key revoke', { merchant: shop.id, key: id });
    const revokedAt = performance.now();
    await waitFor(async () => (await sendIt()).status === 401, { everyMs: 5, what: 'the refusal' });
    expect(performance.now() - revokedAt).toBeLessThan(4_000);
  });

  it('stops taking a key that was revoked during the outage once the database is back', async () => {
    const { key, id } = await newKey();
    expect((await send(key)).status).toBe(202);
    proxy.set('cut');
    await flow.admin('key revoke', { merchant: shop.id, key: id });
    expect((await send(key)).status).toBe(202);
    proxy.set('open');
    await waitFor(async () => (await send(key)).status === 401, { deadlineMs: 6_000, what: 'the refusal' });
  });

  it('takes a key that was made after it was refused as unknown', async () => {
    const { key, id } = await newKey();
    const row = await flow.database.apiKey.findUniqueOrThrow({ where: { id } });
    await flow.database.apiKey.delete({ where: { id } });
    expect((await send(key)).status).toBe(401);
    await flow.database.apiKey.create({ data: row });
    await waitFor(async () => (await send(key)).status === 202, { deadlineMs: 5_000 });
  });
});
