import { generateApiKey } from '@rewardhook/contract';
import { buildItem, buildOrder } from '@rewardhook/testing';
import { callApi, syncPath } from '../harness/call-api.ts';
import { startFlow } from '../harness/start-flow.ts';
import { startPrivateRedis } from '../harness/private-redis.ts';
import { readStoredOrder } from '../harness/read-stored-order.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import type { PrivateRedis } from '../harness/private-redis.ts';

// Without workers, accepted orders stay on the queue, so that a test can check that they are not processed
// synchronously.
describe('POST /api/open/orders/sync/', () => {
  let redis: PrivateRedis;
  let flow: Flow;
  let shop: Merchant;
  beforeAll(async () => {
    redis = await startPrivateRedis();
    flow = await startFlow({ workers: false, redisUrl: redis.url });
    shop = await flow.openMerchant();
  });
  afterAll(async () => {
    await flow.close();
    await redis.remove();
  });

  const send = (body: unknown, key: string | undefined = shop.secretKey, headers = {}) =>
    flow.call(syncPath, body, { key, headers });
  const one = () => ({ orders: [buildOrder()] });
  const sendOnce = (body: unknown) => callApi(flow.url, syncPath, body, { key: shop.secretKey });
  const keyless = (body: unknown) => flow.call(syncPath, body);

  /** A call that must be refused and leave nothing on the queue. */
  async function refused(call: Promise<Awaited<ReturnType<typeof send>>>): Promise<[number, string]> {
    const before = await flow.queues.pending('sync');
    const { status, body } = await call;
    expect(await flow.queues.pending('sync')).toBe(before);
    return [status, body.code];
  }

  describe('Endpoint', () => {
    it('refuses other methods with a JSON error', async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        const { status, body, headers } = await flow.call(syncPath, one(), { method, key: shop.secretKey });
        expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', 'POST']);
      }
    });

    it('accepts the path with and without the slash, and never redirects', async () => {
      expect((await send(one())).status).toBe(202);
      const bare = syncPath.slice(0, -1);
      expect((await flow.call(bare, one(), { key: shop.secretKey })).status).toBe(202);
      expect((await flow.call(`${bare}?from=test`, one(), { key: shop.secretKey })).status).toBe(202);
    });

    it('refuses other content types than application/json', async () => {
      expect(
        (await send(one(), undefined, { 'content-type': 'application/json; charset=UTF-8' })).status,
      ).toBe(202);
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
      ])
        expect(await refused(send(one(), undefined, { 'content-type': type }))).toEqual([
          400,
          'invalid_request',
        ]);
    });

    it('responds to success with 202 and exactly { data: { accepted_count } }', async () => {
      const { status, body, headers } = await send({ orders: [buildOrder(), buildOrder(), buildOrder()] });
      expect([status, body]).toEqual([202, { data: { accepted_count: 3 } }]);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    });

    it('counts all orders of the request in accepted_count, including duplicates', async () => {
      const order = buildOrder();
      expect((await send({ orders: [order, buildOrder(), order] })).body.data).toEqual({ accepted_count: 3 });
    });

    it('responds to a valid body with 202 before anything is stored', async () => {
      const order = buildOrder();
      const { status, ms } = await send({ orders: [order] });
      expect([status, ms < 500]).toEqual([202, true]);
      expect(await readStoredOrder(flow.database, shop.id, order.order_id)).toBeUndefined();
      const jobs = (await flow.queues.waiting('sync')) as { orders: { order_id: string }[] }[];
      expect(jobs.flatMap(({ orders }) => orders).map(({ order_id }) => order_id)).toContain(order.order_id);
    });

    it('queues the 1,000 orders of a request as one job', async () => {
      const before = await flow.queues.pending('sync');
      const orders = Array.from({ length: 1_000 }, () => buildOrder());
      expect((await send({ orders })).body.data).toEqual({ accepted_count: 1_000 });
      expect(await flow.queues.pending('sync')).toBe(before + 1);
    });

    it('refuses a body of more than 2 MiB with payload_too_large, and says how to split', async () => {
      const text = JSON.stringify({ orders: [buildOrder()], padding: '' });
      const padded = (bytes: number) => text.replace('""}', `"${'x'.repeat(bytes - text.length)}"}`);
      expect((await send(padded(2_097_152))).status).toBe(202);
      const call = send(padded(2_097_153));
      expect(await refused(call)).toEqual([413, 'payload_too_large']);
      expect((await call).body['message']).toBe(
        'The body must not be larger than 2097152 bytes, decompressed. Send fewer orders in each request.',
      );
    });

    it('accepts an existing order_id again', async () => {
      const order = buildOrder();
      expect((await send({ orders: [order] })).status).toBe(202);
      expect((await send({ orders: [{ ...order, paid_amount: 1 }] })).status).toBe(202);
    });
  });

  describe('Authentication of calls to the service', () => {
    it('refuses a request without X-Service-Key with 401 invalid_api_key', async () => {
      expect(await refused(keyless(one()))).toEqual([401, 'invalid_api_key']);
    });
    it.each([
      ['one that was never issued', generateApiKey('secret')],
      ['a mistyped one', `svc_sk_${'a'.repeat(38)}`],
      ['no key at all', 'password'],
      ['a prefix alone', 'svc_sk_'],
      ['an empty one', ''],
    ])('an invalid key is 401 invalid_api_key: %s', async (_what, key) => {
      expect(await refused(send(one(), key))).toEqual([401, 'invalid_api_key']);
    });
    it('refuses a revoked key with 401 invalid_api_key', async () => {
      const made = await flow.admin('key create', { merchant: shop.id, kind: 'secret' });
      await flow.admin('key revoke', { merchant: shop.id, key: String(made['keyId']) });
      expect(await refused(send(one(), String(made['key'])))).toEqual([401, 'invalid_api_key']);
    });
    it('accepts a secret key (svc_sk_)', async () => {
      expect(shop.secretKey).toMatch(/^svc_sk_/);
      expect((await send(one())).status).toBe(202);
    });
    it('refuses a public key (svc_pk_) with 401 secret_key_required', async () => {
      expect(shop.publicKey).toMatch(/^svc_pk_/);
      expect(await refused(send(one(), shop.publicKey))).toEqual([401, 'secret_key_required']);
      expect(await refused(send(one(), 'svc_pk_mistyped'))).toEqual([401, 'secret_key_required']);
    });
  });

  describe('Errors', () => {
    it('responds to invalid fields with 400 invalid_request, and params has the error of every one', async () => {
      const bad = { ...buildOrder({ order_id: '' }), paid_amount: '5', order_date: undefined };
      const item = { ...buildItem({ quantity: 0 }), sku: 5 };
      const { status, body } = await send({
        orders: [buildOrder(), bad, buildOrder({ items: [item as never] })],
      });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.params).toEqual({
        'orders[1].order_id': 'must not be empty',
        'orders[1].paid_amount': 'must be an integer',
        'orders[1].order_date': 'is required',
        'orders[2].items[0].quantity': 'must be 1 or more',
        'orders[2].items[0].sku': 'must be a string',
      });
      expect(Object.keys(body.order_ids ?? {})).toEqual(['orders[2]']);
    });

    it('refuses the complete batch when one order is invalid', async () => {
      const orders = [buildOrder(), buildOrder({ order_amount: -1 }), buildOrder()];
      expect(await refused(send({ orders }))).toEqual([400, 'invalid_request']);
    });

    it('responds to errors with { code, message, params?, order_ids?, request_id }, with the id of X-Request-Id', async () => {
      const invalid = await send({});
      expect(invalid.body).toEqual({
        code: 'invalid_request',
        message: expect.any(String),
        params: { orders: 'is required' },
        request_id: invalid.headers.get('x-request-id'),
      });
      const keyed = await flow.call(syncPath, one(), { headers: { 'x-request-id': 'my-own.id:7' } });
      expect(keyed.body).toEqual({
        code: 'invalid_api_key',
        message: expect.any(String),
        request_id: 'my-own.id:7',
      });
      const injected = await flow.call(syncPath, one(), { headers: { 'x-request-id': '"><script>' } });
      expect(injected.body.request_id).toMatch(/^[\da-f-]{36}$/);
    });

    it('responds to an unknown path with a JSON error', async () => {
      for (const path of ['/', '/api/open/order', '/API/open/orders/sync/', '/api/open/orders/sync/x']) {
        const { status, body } = await flow.call(path, one(), { key: shop.secretKey });
        expect([status, body.code]).toEqual([404, 'not_found']);
        expect(body.request_id).toBeTruthy();
      }
    });

    it('checks the key before the body', async () => {
      expect(await refused(keyless('no json'))).toEqual([401, 'invalid_api_key']);
      expect(await refused(send('no json', shop.publicKey))).toEqual([401, 'secret_key_required']);
      expect(await refused(keyless('x'.repeat(300_000)))).toEqual([401, 'invalid_api_key']);
    });

    it('ignores unknown fields and does not store them', async () => {
      const order = { ...buildOrder(), coupon: { code: 'X' }, items: [{ ...buildItem(), colour: 'red' }] };
      expect((await send({ orders: [order], source: 'shop' })).status).toBe(202);
      const jobs = (await flow.queues.waiting('sync')) as { orders: Record<string, unknown>[] }[];
      const queued = jobs.flatMap(({ orders }) => orders).find(({ order_id }) => order_id === order.order_id);
      expect(queued).toEqual({ ...order, coupon: undefined, items: [buildItem()] });
    });
  });

  describe('503 service_unavailable', () => {
    it('responds to a failure of the queue with 503 and Retry-After, after key and body were checked', async () => {
      await redis.kill('SIGTERM');
      const { status, body, headers } = await sendOnce(one());
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
      expect((await keyless(one())).body.code).toBe('invalid_api_key');
      expect((await send({ orders: [] })).body.code).toBe('invalid_request');
      await redis.start();
    });

    it('processes a retry after a 503 normally', async () => {
      const body = one();
      await redis.kill('SIGTERM');
      expect((await sendOnce(body)).status).toBe(503);
      await redis.start();
      const answer = await send(body);
      expect([answer.status, answer.body.data]).toEqual([202, { accepted_count: 1 }]);
      const jobs = (await flow.queues.waiting('sync')) as { orders: { order_id: string }[] }[];
      const ids = jobs.flatMap(({ orders }) => orders).map(({ order_id }) => order_id);
      expect(ids.filter((id) => id === body.orders[0]?.order_id)).toHaveLength(1);
    });
  });
});
