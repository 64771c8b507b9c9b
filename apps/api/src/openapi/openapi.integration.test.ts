import type { Express } from 'express';
import { publishProgram } from '@rewardhook/database';
import { defaultRule } from '@rewardhook/rewards';
import { openAnswerCheck } from '@rewardhook/testing/answers';
import { startApi } from '../../../../tests/harness/start-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import { userHashOf } from '../../../../tests/harness/open-merchant.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { buildOpenApiDocument } from './document.ts';
import { operations } from './operations.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow();
  merchant = await flow.openMerchant();
});
afterAll(() => flow.close());

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
    await publishProgram(flow.database, merchant.id, { ...defaultRule, earlierOrders: 'count' });
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
      .reduce((filled, { name, example }) => filled.replace(`{${name}}`, ids[String(name)] ?? example), path);
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
