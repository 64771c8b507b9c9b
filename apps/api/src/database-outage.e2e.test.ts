import { buildOrder, scaled, startTcpProxy, waitFor } from '@rewardhook/testing';
import type { TcpProxy } from '@rewardhook/testing';
import { bootPath, callApi, linkPath, syncPath } from '../../../tests/harness/call-api.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { userHashOf } from '../../../tests/harness/open-merchant.ts';
import type { Answer } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';

/** Shorter than the 2 s in production, so that the tests are fast. */
const keyFreshMs = 300;

describe('the API during an outage of PostgreSQL', () => {
  let flow: Flow;
  let proxy: TcpProxy;
  let api: RunningApi;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    proxy = await startTcpProxy(flow.environment.databaseUrl);
    api = await startApi({ ...flow.environment, databaseUrl: proxy.url, keyFreshMs });
  });
  beforeEach(async () => {
    merchant = await flow.openMerchant();
    // After a failure the API does not ask the database for a second.
    await waitFor(async () => (await send(merchant.secretKey)).status === 202, {
      what: 'the recovery from the previous test',
    });
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
    const made = await flow.admin('key create', { merchant: merchant.id, kind: 'secret' });
    return { key: String(made['key']), id: String(made['keyId']) };
  };
  function expectUnavailable({ status, body, headers }: Answer): void {
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
  }

  it.each(['cut', 'frozen'] as const)(
    'Orders of cached keys are accepted while PostgreSQL is %s',
    async (state) => {
      proxy.set(state);
      const before = await flow.queues.pending('sync');
      let sent = 0;
      // For longer than a cached key is used without reading it again.
      const end = performance.now() + 3 * keyFreshMs;
      do {
        const { status, ms } = await send(merchant.secretKey);
        expect(status).toBe(202);
        expect(ms).toBeLessThan(scaled(1_500));
        sent += 1;
      } while (performance.now() < end);
      expect(await flow.queues.pending('sync')).toBe(before + sent);
      expect((await send(merchant.secretKey, syncPath, {})).body.code).toBe('invalid_request');
    },
  );

  it('Refused requests are not listed while PostgreSQL is cut, and all of them are counted when it is back', async () => {
    const dropped = async () =>
      api.metrics.registry.getSingleMetricAsString('rewardhook_request_rows_dropped_total');
    const before = await dropped();
    proxy.set('cut');
    for (let number = 0; number < 20; number += 1)
      expect((await send(merchant.secretKey, syncPath, {})).status).toBe(400);
    await waitFor(async () => (await dropped()) !== before, { what: 'the dropped rows' });
    proxy.set('open');
    const where = { merchantId: merchant.id };
    const counted = async () => {
      const counts = await flow.database.requestCount.findMany({ where });
      return counts.reduce((sum, { total }) => sum + total, 0);
    };
    await waitFor(async () => (await counted()) === 20, { what: 'the counts' });
    expect(await flow.database.request.count({ where: { ...where, code: 'invalid_request' } })).toBeLessThan(
      20,
    );
  });

  it('A merchant that the operator has paused stays paused while PostgreSQL is cut', async () => {
    await flow.admin('merchant pause', {
      merchant: merchant.id,
      reason: 'a test',
      contact: 'ops@example.com',
    });
    await waitFor(async () => (await send(merchant.secretKey)).status === 503, { what: 'the pause' });
    proxy.set('cut');
    const end = performance.now() + 3 * keyFreshMs;
    do {
      const { status, headers } = await send(merchant.secretKey);
      expect([status, headers.get('retry-after')]).toEqual([503, '300']);
    } while (performance.now() < end);
  });

  it.each(['cut', 'frozen'] as const)(
    'A key that is not cached gets 503 while PostgreSQL is %s',
    async (state) => {
      const { key } = await newKey();
      proxy.set(state);
      const first = await send(key);
      expectUnavailable(first);
      expect(first.ms).toBeLessThan(scaled(4_000));
      const next = await send(key);
      expectUnavailable(next);
      expect(next.ms).toBeLessThan(scaled(500));
      expect((await send('svc_sk_no-such-key')).body.code).toBe('invalid_api_key');
      expect((await send(merchant.publicKey)).body.code).toBe('secret_key_required');
      proxy.set('open');
      await waitFor(async () => (await send(key)).status === 202, { what: 'the recovery' });
    },
  );

  it('Every route that needs PostgreSQL answers 503 during the outage, and recovers', async () => {
    const read = (path: string, key?: string) => callApi(api.url, path, undefined, { key, method: 'GET' });
    const correct = (path: string, fields: object) =>
      callApi(
        api.url,
        `/api/open${path}`,
        { ...fields, reason: 'a test' },
        { key: merchant.secretKey, headers: { 'idempotency-key': path } },
      );
    const uuid = '00000000-0000-4000-8000-000000000000';
    const calls: Record<string, () => Promise<Answer>> = {
      '/api/open/members/boot': () =>
        send(merchant.publicKey, bootPath, { user_id: 'ann', user_hash: userHashOf(merchant, 'ann') }),
      '/api/open/members/link': () =>
        send(merchant.secretKey, linkPath, { referrer_member_id: 'ann', referee_member_id: 'bob' }),
      '/api/open/webhooks/:webhook_id/test': () =>
        send(merchant.secretKey, '/api/open/webhooks/whk_1/test/', {}),
      '/api/open/members/move-link': () =>
        correct('/members/move-link/', { referee_member_id: 'bob', referrer_member_id: 'eve' }),
      '/api/open/members/merge': () =>
        correct('/members/merge/', { from_member_id: 'ann', into_member_id: 'eve' }),
      '/api/open/orders/:order_id/rewards': () =>
        correct('/orders/order/rewards/', { role: 'referee', amount: 1 }),
      '/api/open/rewards/:reward_id/adjust': () => correct(`/rewards/${uuid}/adjust/`, { amount: 1 }),
      '/api/open/rewards/:reward_id/revoke': () => correct(`/rewards/${uuid}/revoke/`, {}),
      '/r/:code': () => read('/r/ABCDEFGH'),
    };
    const without = ['/api/open/orders/sync', '/openapi.json', '/health/live', '/health/ready'];
    const { stack } = api.app.router as unknown as { stack: { handle: { stack?: unknown } }[] };
    const routes = stack.flatMap(({ handle }) => (handle.stack ?? []) as { route?: { path: string } }[]);
    const paths = new Set(routes.flatMap(({ route }) => (route ? [route.path] : [])));
    const known = [...Object.keys(calls), ...without];
    for (const path of paths)
      if (!known.includes(path))
        calls[path] = () => read(`${path.replaceAll(/:\w+/g, uuid)}/`, merchant.secretKey);
    expect(Object.keys(calls).length).toBeGreaterThan(15);

    // Both keys are cached, so the following requests fail in the routes themselves.
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

  it('A revoked key stops working within seconds, even in constant use', async () => {
    const { key, id } = await newKey();
    // The API that `startFlow` starts caches keys as long as in production.
    const sendWithKey = () => flow.call(syncPath, { orders: [buildOrder({ items: [] })] }, { key });
    expect((await sendWithKey()).status).toBe(202);
    await flow.admin('key revoke', { merchant: merchant.id, key: id });
    const revokedAt = performance.now();
    await waitFor(async () => (await sendWithKey()).status === 401, { everyMs: 5, what: 'the refusal' });
    expect(performance.now() - revokedAt).toBeLessThan(scaled(4_000));
  });

  it('A key that was revoked during the outage stops working when PostgreSQL is back', async () => {
    const { key, id } = await newKey();
    expect((await send(key)).status).toBe(202);
    proxy.set('cut');
    await flow.admin('key revoke', { merchant: merchant.id, key: id });
    expect((await send(key)).status).toBe(202);
    proxy.set('open');
    await waitFor(async () => (await send(key)).status === 401, { deadlineMs: 6_000, what: 'the refusal' });
  });

  it('A key that was created after it was refused as unknown is accepted', async () => {
    const { key, id } = await newKey();
    const row = await flow.database.apiKey.findUniqueOrThrow({ where: { id } });
    await flow.database.apiKey.delete({ where: { id } });
    expect((await send(key)).status).toBe(401);
    await flow.database.apiKey.create({ data: row });
    await waitFor(async () => (await send(key)).status === 202, { deadlineMs: 5_000 });
  });
});
