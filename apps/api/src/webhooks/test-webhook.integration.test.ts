import { eventCatalogue, eventTypes } from '@rewardhook/contract';
import type { WebhookEvent } from '@rewardhook/contract';
import { buildOrder } from '@rewardhook/testing';
import { compileJsonSchema } from '@rewardhook/testing/answers';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
let hook: Receiver;
let webhookId: string;
let status = 204;
beforeAll(async () => {
  flow = await startFlow();
  merchant = await flow.openMerchant();
  hook = await flow.receiver(merchant, 'reward.issue', { respond: () => status });
  webhookId = (await flow.database.endpoint.findFirstOrThrow({ where: { merchantId: merchant.id } })).id;
});
beforeEach(() => {
  status = 204;
});
afterAll(() => flow.close());

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
