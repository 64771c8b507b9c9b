import { eventCatalogue, eventTypes } from '@rewardhook/contract';
import type { EventType, WebhookEvent } from '@rewardhook/contract';
import { buildOrder, waitFor } from '@rewardhook/testing';
import { compileJsonSchema } from '@rewardhook/testing/answers';
import type { Receiver } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const dayMs = 86_400_000;

describe('Events of the running service', () => {
  let flow: Flow;
  let shop: Merchant;
  let received: Receiver;
  const order = buildOrder({ member_id: 'bob' });
  beforeAll(async () => {
    flow = await startFlow();
    shop = await flow.openMerchant();
    received = await flow.receiver(shop, eventTypes.join());
  });
  beforeAll(async () => {
    await flow.link(shop, 'alice', 'bob');
    await failOnce('/failing', { burstFailures: 6, burstSince: new Date() });
    const failingSince = new Date(Date.now() - 3 * dayMs);
    await failOnce('/warned', { failuresInARow: 30, failingSince, lastFailedAt: new Date() });
    await flow.receiver(shop, 'reward.issue', { respond: () => 410 }, '/gone');
  });
  beforeAll(async () => {
    // Not until all work is done: the deliveries that fail are retried.
    await flow.sync(shop, order);
    await waitFor(() => bodies('reward.issue').length === 2);
  });
  beforeAll(async () => {
    await flow.sync(shop, { ...order, cancelled_at: order.order_date });
    await waitFor(() => bodies('reward.revoke').length === 2);
  });
  beforeAll(async () => {
    const { webhooks } = (await flow.admin('webhook list', { merchant: shop.id })) as {
      webhooks: [{ id: string }];
    };
    await flow.admin('webhook test', { merchant: shop.id, webhook: webhooks[0].id });
    await waitFor(() => eventTypes.every((type) => bodies(type).length > 0));
  });
  afterAll(() => flow.close());

  /** Registers a URL that answers 500, with the failures before the next one. */
  async function failOnce(path: string, health: object) {
    await flow.receiver(shop, 'reward.issue', { respond: () => 500 }, path);
    await flow.database.endpoint.updateMany({
      where: { merchantId: shop.id, url: { endsWith: path } },
      data: { ...health, firstSuccessAt: new Date(0) },
    });
  }
  const bodies = (type: EventType) =>
    received.received
      .filter(({ event }) => event === type)
      .map(({ rawBody }) => JSON.parse(rawBody.toString('utf8')) as WebhookEvent);

  it.each(eventTypes)('%s is valid by the schema of the catalogue', (type) => {
    const errors = compileJsonSchema(eventCatalogue[type].schema);
    for (const body of bodies(type)) expect([body, errors(body)]).toEqual([body, []]);
  });

  it.each(eventTypes)('%s has no other fields than its schema describes', (type) => {
    const errors = compileJsonSchema(closed(eventCatalogue[type].schema) as object);
    for (const body of bodies(type)) expect([body, errors(body)]).toEqual([body, []]);
  });

  it('reward.revoke has the reason of the decision that withdrew the reward', () => {
    const revoked = bodies('reward.revoke');
    expect(revoked.map(({ data }) => (data as { reason: string }).reason)).toEqual([
      'cancelled',
      'cancelled',
    ]);
  });
});

/** The schema without room for other fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  return copy['properties'] ? { ...copy, additionalProperties: false } : copy;
}
