import type { Express } from 'express';
import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { eventCatalogue, eventTypes } from '@rewardhook/contract';
import type { WebhookEvent } from '@rewardhook/contract';
import { publishProgram } from '@rewardhook/database';
import { parseTerms } from '@rewardhook/rewards';
import { buildOrder } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { openAnswerCheck, compileJsonSchema } from '@rewardhook/testing/answers';
import { arbitraryOrder } from '../../../../packages/contract/testing/arbitrary-order.ts';
import { syncPath } from '../../../../tests/harness/call-api.ts';
import { userHashOf } from '../../../../tests/harness/open-merchant.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { readStoredOrder } from '../../../../tests/harness/read-stored-order.ts';
import { startApi } from '../../../../tests/harness/start-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { buildOpenApiDocument } from './document.ts';
import { operations } from './operations.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('The OpenAPI document', () => {
  let merchant: Merchant;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
  });

  interface Layer {
    route?: { path: string; methods: Record<string, boolean> };
    handle: { stack?: Layer[] };
  }

  /** The routes of an app, in the form of the document. */
  function routesOf(layers: Layer[]): string[] {
    return layers.flatMap(({ route, handle }) =>
      route ? [route.path.replaceAll(/:(\w+)/g, '{$1}')] : routesOf(handle.stack ?? []),
    );
  }

  describe('GET /openapi.json', () => {
    it('is served without a key, to every origin, and is cached by its ETag', async () => {
      const response = await fetch(`${flow.url}/openapi.json`);
      const etag = String(response.headers.get('etag'));
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(await response.json()).toEqual(
        JSON.parse(JSON.stringify(buildOpenApiDocument('https://share.example'))),
      );
      expect(response.headers.get('cache-control')).toBe('public, max-age=300');
      const again = await fetch(`${flow.url}/openapi.json`, { headers: { 'if-none-match': etag } });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
    });

    it('describes every route of the API', async () => {
      const api = await startApi({ ...flow.environment });
      try {
        const { stack } = (api.app as Express & { router: { stack: Layer[] } }).router;
        const mounted = routesOf(stack).filter((path) => !path.startsWith('/health/'));
        const described = operations.map(({ path }) => (path === '/' ? path : path.replace(/\/$/, '')));
        expect([...new Set(mounted)].toSorted()).toEqual([...new Set(described)].toSorted());
      } finally {
        await api.close();
      }
    });
  });

  describe('The examples of the document', () => {
    /** Ids that the service made, by the name of their parameter. */
    const ids: Record<string, string> = {};
    const document = buildOpenApiDocument('https://api.example.com');
    const check = openAnswerCheck(document);

    beforeAll(async () => {
      await flow.admin('merchant update', {
        merchant: merchant.id,
        'landing-url': 'https://shop.example.com/welcome',
      });
      await flow.receiver(merchant, 'reward.issue,reward.revoke');
      // The order of the document has a fixed date.
      await publishProgram(flow.database, merchant.id, parseTerms({ earlierOrders: 'count' }));
      await flow.boot(merchant, { user_id: 'alice-old' });
      await send('linkMember');
      await send('syncOrders');
      await flow.queues.settled();
      const first = async (list: string, name: string) =>
        ((await read(`/api/open/${list}/`))[name] as { id: string }[])[0]?.id ?? '';
      for (const [name, list] of Object.entries({
        reward_id: 'rewards',
        referral_id: 'referrals',
        event_id: 'events',
        webhook_id: 'webhooks',
      }))
        ids[name] = await first(list, list);
      ids['delivery_id'] = await first(`webhooks/${ids['webhook_id']}/deliveries`, 'deliveries');
      ids['code'] = String((await read('/api/open/members/bob/'))['referral_code']);
    });

    async function read(path: string): Promise<Record<string, unknown>> {
      return (await flow.call(path, undefined, { method: 'GET', key: merchant.secretKey })).body.data;
    }

    /** Sends the example of an operation. Only what belongs to a merchant is replaced: keys, ids and the hash. */
    async function send(id: string) {
      const operation = operations.find((one) => one.id === id);
      if (!operation) throw new Error(`there is no operation ${id}`);
      const { path, method, key } = operation;
      const described = document.paths[path]?.[method];
      const parameters = (described?.parameters ?? []) as { name?: string; in: string; example: string }[];
      const url = parameters
        .filter((parameter) => parameter.in === 'path')
        .reduce(
          (filled, { name, example }) => filled.replace(`{${name}}`, ids[String(name)] ?? example),
          path,
        );
      const example = described?.requestBody?.content['application/json']?.example as Record<string, unknown>;
      const body = example && {
        ...example,
        ...('user_hash' in example && { user_hash: userHashOf(merchant, String(example['user_id'])) }),
        // The rule has given the order its rewards.
        ...(id === 'grantReward' && { another: true }),
      };
      const keys = { secret: merchant.secretKey, public: merchant.publicKey, none: undefined };
      const response = await fetch(flow.url + url, {
        method: method.toUpperCase(),
        redirect: 'manual',
        headers: {
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...(keys[key] === undefined ? {} : { 'x-service-key': keys[key] }),
          ...(operation.headers?.includes('IdempotencyKey') ? { 'idempotency-key': id } : {}),
          origin: 'https://shop.example.com',
        },
        body: body ? JSON.stringify(body) : null,
      });
      const text = await response.text();
      // The adjusted reward has another id.
      if (id === 'adjustReward') ids['reward_id'] = (JSON.parse(text) as { data: { id: string } }).data.id;
      return {
        method: method.toUpperCase(),
        url,
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: text,
      };
    }

    it.each(operations.map((operation) => [operation.id, operation] as const))(
      'The example of %s is answered as the document says',
      async (id, { answers }) => {
        const answer = await send(id);
        expect([answer.status, answer.body]).toEqual([
          answers.find(({ status }) => status === answer.status)?.status,
          answer.body,
        ]);
        expect(check(answer)).toEqual([]);
      },
    );
  });

  it('An answer that the document does not describe fails the test that caused it', async () => {
    const api = await startApi({ ...flow.environment });
    api.app.router.stack.unshift(...undescribed(api.app));
    expect((await fetch(`${api.url}/openapi.json`, { headers: { 'x-undescribed': '1' } })).status).toBe(418);
    await expect(api.close()).rejects.toThrow(AggregateError);
  });

  /** A middleware that answers requests with a header, taken off the end of an app. */
  function undescribed(app: Express): Express['router']['stack'] {
    app.use((request, response, next) => {
      if (request.get('x-undescribed') === undefined) next();
      else response.status(418).end();
    });
    return app.router.stack.splice(-1);
  }
});

describe('Test events', () => {
  let merchant: Merchant;
  let hook: Receiver;
  let webhookId: string;
  let status = 204;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
    hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
    webhookId = (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } })).id;
  });
  beforeEach(() => {
    status = 204;
  });

  const test = (body: unknown, { id = webhookId, key = merchant.secretKey } = {}) =>
    flow.call(`/api/open/webhooks/${id}/test/`, body, { key });
  const read = async (path: string) =>
    (await flow.call(`/api/open${path}`, undefined, { method: 'GET', key: merchant.secretKey })).body.data;
  const json = ({ rawBody }: ReceivedWebhook) => JSON.parse(rawBody.toString('utf8')) as WebhookEvent;

  describe('POST /api/open/webhooks/{webhook_id}/test/', () => {
    it.each(eventTypes)('sends a signed sample of %s that is marked as a test', async (type) => {
      const answer = await test({ type });
      expect([answer.status, answer.body.data]).toEqual([
        200,
        {
          delivery_id: expect.any(String),
          event_id: expect.any(String),
          event_type: type,
          delivered: true,
          attempt: expect.objectContaining({ number: 1, status: 204, error: null }),
        },
      ]);
      const { delivery_id: deliveryId, event_id: eventId } = answer.body.data;
      const received = await hook.waitFor((webhook) => webhook.deliveryId === deliveryId);
      expect([received.event, received.verified]).toEqual([type, true]);
      const event = json(received);
      expect(compileJsonSchema(eventCatalogue[type].schema)(event)).toEqual([]);
      expect(event).toMatchObject({ id: eventId, type, test: true });
    });

    it('sends a webhook.ping by default, also without a body', async () => {
      expect((await test({})).body.data['event_type']).toBe('webhook.ping');
      expect((await test('')).body.data['event_type']).toBe('webhook.ping');
    });

    it('a failure of the receiver is the outcome of the attempt, and is not retried', async () => {
      status = 503;
      const { body } = await test({ type: 'reward.issue' });
      expect(body.data).toMatchObject({ delivered: false, attempt: { number: 1, status: 503, error: null } });
      expect(await read(`/deliveries/${String(body.data['delivery_id'])}/`)).toMatchObject({
        state: 'exhausted',
        next_attempt_at: null,
      });
    });

    it('samples are in no feed, in no list of rewards and in no replay, and each has a new reward', async () => {
      await flow.link(merchant, 'alice', 'bob');
      await flow.syncAndSettle(merchant, buildOrder({ member_id: 'bob' }));
      const before = hook.received.length;
      for (const type of ['reward.issue', 'reward.issue', 'reward.revoke']) await test({ type });
      const samples = hook.received.slice(before).map(json);
      const rewardIds = samples.map(({ data }) => (data as { reward: { id: string } }).reward.id);
      expect(new Set(rewardIds).size).toBe(3);
      const feed = (await read(`/events/?types=${eventTypes.join()}`)) as { events: WebhookEvent[] };
      expect(feed.events.map(({ type, test: mark }) => [type, mark ?? false])).toEqual(
        expect.arrayContaining([['reward.issue', false]]),
      );
      expect(feed.events.filter(({ type }) => type !== 'webhook.ping')).toHaveLength(2);
      const { rewards } = (await read('/rewards/')) as { rewards: { id: string }[] };
      expect(rewards).toHaveLength(2);
      expect(rewards.filter(({ id }) => rewardIds.includes(id))).toEqual([]);
      const preview = await flow.admin('replay create', {
        merchant: merchant.id,
        states: 'delivered,exhausted',
        from: '2026-01-01',
        'per-minute': '60',
        'dry-run': true,
      });
      expect(preview).toMatchObject({ total: 2 });
    });

    it('deliveries of samples are found by their event type', async () => {
      const { body } = await test({ type: 'reward.revoke' });
      const found = await read(`/webhooks/${webhookId}/deliveries/?event_type=reward.revoke`);
      expect(found).toMatchObject({
        deliveries: expect.arrayContaining([expect.objectContaining({ id: body.data['delivery_id'] })]),
      });
    });

    it.each([
      [{ type: 'reward.grant' }, { type: `must be one of ${eventTypes.join(', ')}` }],
      [{ type: 1 }, { type: expect.stringContaining('must be one of') }],
      [[], { body: expect.any(String) }],
      ['{', { body: expect.any(String) }],
    ])('the body %j is refused', async (body, params) => {
      const answer = await test(body);
      expect([answer.status, answer.body.params]).toEqual([400, params]);
    });

    it('the webhook of another merchant does not exist, nor does an id that cannot be stored', async () => {
      const other = await flow.openMerchant();
      for (const refused of [await test({}, { key: other.secretKey }), await test({}, { id: 'a%00b' })])
        expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
      const withPublicKey = await test({}, { key: merchant.publicKey });
      expect([withPublicKey.status, withPublicKey.body.code]).toEqual([401, 'secret_key_required']);
    });
  });

  it('Test events of a merchant are limited to one per interval', async () => {
    const limited = await startFlow({ workers: false, limits: { testSeconds: 60 } });
    try {
      const shop = await limited.openMerchant();
      await limited.receiver(shop, 'reward.issue');
      const { id } = await limited.database.endpoint.findFirstOrThrow({ where: { merchantId: shop.id } });
      const send = () => limited.call(`/api/open/webhooks/${id}/test/`, {}, { key: shop.secretKey });
      expect((await send()).status).toBe(200);
      const refused = await send();
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        429,
        'rate_limited',
        '60',
      ]);
    } finally {
      await limited.close();
    }
  });
});

describe('accepted orders', () => {
  type Fields = Record<string, unknown>;
  const dates = ['order_date', 'paid_at', 'cancelled_at', 'returned_at'];

  let merchant: Merchant;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
  });

  it('An order that validation accepts is stored unchanged, and a refused one is not stored', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryOrder, { minLength: 25, maxLength: 25 }), async (orders) => {
        const taken: Fields[] = [];
        await Promise.all(
          orders.map(async (sent, index) => {
            // Each order gets a unique id, unless its id is invalid.
            const id = (sent as Fields | null)?.['order_id'];
            const order =
              typeof id === 'string' && id !== '' && id.length < 100
                ? { ...(sent as Fields), order_id: `${accepted}-${index}-${id}` }
                : sent;
            const text = JSON.stringify({ orders: [order] });
            const { status, body } = await flow.call(syncPath, text, { key: merchant.secretKey });
            expect([202, 400]).toContain(status);
            if (status === 202) taken.push(...(JSON.parse(text) as { orders: [Fields] }).orders);
            else expect(Object.keys(body.params ?? {}).length).toBeGreaterThan(0);
          }),
        );
        await flow.queues.settled();
        for (const sent of taken) {
          const row = await readStoredOrder(flow.database, merchant.id, String(sent['order_id']));
          expect(row).toMatchObject(comparable(sent));
          for (const name of dates)
            expect(row?.[name] === null).toBe(sent[name] === undefined || sent[name] === null);
        }
        accepted += taken.length;
      }),
      { numRuns: propertyCases(12), seed: 42 },
    );
    expect(accepted).toBeGreaterThan(propertyCases(30));
  });

  /** The fields that must be stored exactly as sent. */
  function comparable(sent: Fields): Fields {
    const { order_id, member_id, order_amount, paid_amount, shipping_amount, first_order = false } = sent;
    const items = ((sent['items'] ?? []) as Fields[]).map((item) => {
      const { product_id, product_name, quantity, price, sku = '' } = item;
      return expect.objectContaining({
        product_id,
        product_name,
        quantity,
        price: plain(price),
        paid_amount: plain(item['paid_amount']),
        sku,
      }) as unknown;
    });
    const amounts = Object.fromEntries(
      Object.entries({ order_amount, paid_amount, shipping_amount }).map(([name, value]) => [
        name,
        plain(value),
      ]),
    );
    return { order_id, member_id, first_order, ...amounts, items };
  }
  /** JSON has -0; amounts do not. */
  const plain = (value: unknown) => (Object.is(value, -0) ? 0 : value);
});
