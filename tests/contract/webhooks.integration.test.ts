import { createHmac } from 'node:crypto';
import { eventCatalogue, eventTypes } from '@rewardhook/contract';
import type { RewardEventData, EventType, WebhookEvent } from '@rewardhook/contract';
import { buildOrder, hasValidSignature, waitFor } from '@rewardhook/testing';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { compileJsonSchema } from '@rewardhook/testing/answers';
import { syncPath } from '../harness/call-api.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { readStoredOrder } from '../harness/read-stored-order.ts';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow();
});
afterAll(() => flow.close());

describe('Webhooks of the contract', () => {
  const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

  let shop: Merchant;
  beforeEach(async () => {
    shop = await flow.openMerchant();
  });

  /** Links two members and sends the referee's paid order: two rewards are due. */
  async function earn(order = buildOrder({ member_id: 'referee' }), merchant = shop) {
    await flow.link(merchant, 'referrer', 'referee');
    await flow.syncAndSettle(merchant, order);
    return order;
  }
  const json = ({ rawBody }: ReceivedWebhook) =>
    JSON.parse(rawBody.toString('utf8')) as { id: string; type: string; data: RewardEventData };

  describe('after orders arrive', () => {
    it('the orders are stored and evaluated in the background', async () => {
      const order = await earn();
      const { decisions } = await flow.admin('order show', { merchant: shop.id, order: order.order_id });
      expect(decisions).toMatchObject([
        { memberId: 'referee', outcome: 'rewarded', reason: 'rewarded', checks: expect.any(Array) },
      ]);
    });

    it('an order of a member without a referral earns no reward', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await flow.syncAndSettle(shop, buildOrder({ member_id: 'member-without-referrer' }));
      expect(await flow.database.reward.count({ where: { merchantId: shop.id } })).toBe(0);
      expect(hook.received).toHaveLength(0);
    });

    it('each registered URL receives a POST with the reward and its member when a reward is confirmed', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      const order = await earn();
      const bodies = hook.received.map(json);
      expect(new Set(bodies.map(({ data }) => `${data.role} ${data.member_id}`))).toEqual(
        new Set(['referee referee', 'referrer referrer']),
      );
      expect(bodies[0]?.data).toMatchObject({
        reward: { id: expect.any(String), type: 'points', amount: 3_000, unit: 'points' },
        order: { order_id: order.order_id, paid_amount: order.paid_amount },
      });
    });
  });

  describe('as requests', () => {
    it('the request is a POST of application/json to the registered URL', async () => {
      const hook = await flow.receiver(shop, 'reward.issue', {}, '/loyalty/v1?shop=7&a=%20b');
      await earn();
      for (const webhook of hook.received)
        expect([webhook.path, webhook.headers['content-type']]).toEqual([
          '/loyalty/v1?shop=7&a=%20b',
          'application/json',
        ]);
      expect(hook.received).toHaveLength(2);
    });

    it('X-Service-Event is the event type of the JSON body', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await earn();
      expect(hook.received.map((webhook) => [webhook.event, json(webhook).type])).toEqual([
        ['reward.issue', 'reward.issue'],
        ['reward.issue', 'reward.issue'],
      ]);
    });

    it('X-Service-Delivery is a UUID that is unique to the delivery', async () => {
      const hooks = [await flow.receiver(shop, 'reward.issue'), await flow.receiver(shop, 'reward.issue')];
      await earn();
      const ids = hooks.flatMap(({ received }) => received.map(({ deliveryId }) => deliveryId));
      for (const id of ids) expect(id).toMatch(uuid);
      expect([ids.length, new Set(ids).size]).toEqual([4, 4]);
    });

    it('X-Service-Delivery and the body bytes are the same on every retry, so that duplicates can be discarded', async () => {
      const statuses = [500, 302, 200];
      const seen = new Map<string, number>();
      const hook = await flow.receiver(shop, 'reward.issue', {
        respond({ deliveryId }) {
          const tries = seen.get(String(deliveryId)) ?? 0;
          seen.set(String(deliveryId), tries + 1);
          return statuses[tries] ?? 200;
        },
      });
      await earn();
      for (let round = 2; round <= 3; round += 1) {
        await waitFor(() =>
          flow.database.delivery
            .count({ where: { merchantId: shop.id, attemptsMade: round - 1 } })
            .then((n) => n === 2),
        );
        await flow.database.delivery.updateMany({
          where: { merchantId: shop.id },
          data: { nextAttemptAt: new Date(0) },
        });
        await waitFor(() => hook.received.length === 2 * round);
      }
      expect(seen.size).toBe(2);
      for (const id of seen.keys()) {
        const tries = hook.received.filter(({ deliveryId }) => deliveryId === id);
        expect(new Set(tries.map(({ rawBody }) => rawBody.toString('latin1'))).size).toBe(1);
        expect(tries.map(({ headers }) => headers['x-service-attempt'])).toEqual(['1', '2', '3']);
        expect(tries.every(({ verified }) => verified)).toBe(true);
      }
      await waitFor(() =>
        flow.database.delivery
          .count({ where: { merchantId: shop.id, state: 'delivered' } })
          .then((n) => n === 2),
      );
    });

    it('a redirect is not followed', async () => {
      const target = await flow.receiver(shop, 'webhook.ping');
      const hook = await flow.receiver(shop, 'reward.issue', { respond: () => 307 });
      await earn();
      expect([hook.received.length, target.received.length]).toEqual([2, 0]);
    });
  });

  describe('with a signature', () => {
    it('a signing key is issued at sign-up and can be read afterwards', async () => {
      const shown = await flow.admin('signing-key show', { merchant: shop.id });
      expect(shown['signingKeys']).toMatchObject([{ signingSecret: shop.signingSecret }]);
    });

    it('the signature is sha256= and the lowercase hex HMAC-SHA256 of the raw body bytes with the signing key', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await earn(buildOrder({ member_id: 'referee', order_id: 'ordër-주문-😀' }));
      for (const { headers, rawBody } of hook.received) {
        const hex = createHmac('sha256', shop.signingSecret).update(rawBody).digest('hex');
        expect(headers['x-service-signature']).toBe(`sha256=${hex}`);
        expect(rawBody.toString('utf8')).toContain('ordër-주문-😀');
      }
      expect(hook.received).toHaveLength(2);
    });

    it('the signature is valid for the raw bytes only', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await earn();
      const { rawBody, headers, verified } = await hook.waitFor(() => true);
      const signature = String(headers['x-service-signature']);
      const again = Buffer.from(JSON.stringify(JSON.parse(rawBody.toString()), undefined, 1));
      expect(verified).toBe(true);
      expect(hasValidSignature(again, shop.signingSecret, signature)).toBe(false);
      expect(hasValidSignature(rawBody, `${shop.signingSecret}x`, signature)).toBe(false);
    });

    it('the header is not sent when there is no signing key', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      await flow.admin('signing-key delete', { merchant: shop.id });
      await earn();
      expect(hook.received).toHaveLength(2);
      for (const { headers } of hook.received)
        expect(Object.keys(headers).filter((name) => name.includes('signature'))).toEqual([]);
    });

    it('the header is computed with the new signing key after an operator has reissued it', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      const made = await flow.admin('signing-key rotate', { merchant: shop.id, 'overlap-hours': '0' });
      hook.setSigningSecret(String(made['signingSecret']));
      await earn();
      expect(hook.received.map(({ verified }) => verified)).toEqual([true, true]);
    });

    it('a webhook that an operator has deleted is no longer called', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      const { webhooks } = (await flow.admin('webhook list', { merchant: shop.id })) as {
        webhooks: [{ id: string }];
      };
      await flow.admin('webhook delete', { merchant: shop.id, webhook: webhooks[0].id });
      await earn();
      expect(await flow.database.reward.count({ where: { merchantId: shop.id } })).toBe(2);
      expect(hook.received).toHaveLength(0);
    });
  });

  describe('for event types', () => {
    it('a webhook is called for the event types that it was registered for only', async () => {
      const revokes = await flow.receiver(shop, 'reward.revoke');
      const both = await flow.receiver(shop, 'reward.issue,reward.revoke');
      await earn();
      expect([revokes.received.length, both.received.length]).toEqual([0, 2]);
    });

    it('all URLs that are registered for an event type are called', async () => {
      const hooks = [];
      for (let i = 0; i < 4; i += 1) hooks.push(await flow.receiver(shop, 'reward.issue', {}, `/hook/${i}`));
      await earn();
      const events = hooks.map(({ received }) => received.map((webhook) => json(webhook).id).toSorted());
      expect(events[0]).toHaveLength(2);
      for (const ids of events) expect(ids).toEqual(events[0]);
    });

    it('reward.issue is emitted exactly once, after the order of a referred member was evaluated', async () => {
      const hook = await flow.receiver(shop, 'reward.issue');
      const order = buildOrder({ member_id: 'referee', paid_at: null });
      await earn(order);
      expect(hook.received).toHaveLength(0);
      await flow.syncAndSettle(shop, { ...order, paid_at: order.order_date });
      expect(hook.received).toHaveLength(2);
      await flow.syncAndSettle(shop, { ...order, paid_at: order.order_date, paid_amount: 1 });
      expect(hook.received).toHaveLength(2);
    });

    it('a URL that fails does not delay another one', async () => {
      const answers: ((status: number) => void)[] = [];
      const hanging = () => new Promise<number>((resolve) => answers.push(resolve));
      await flow.receiver(shop, 'reward.issue', { respond: hanging });
      const hook = await flow.receiver(shop, 'reward.issue');
      await flow.link(shop, 'referrer', 'referee');
      await flow.sync(shop, buildOrder({ member_id: 'referee' }));
      await waitFor(() => hook.received.length === 2, { deadlineMs: 3_000 });
      await waitFor(() => answers.length === 2);
      for (const answer of answers) answer(200);
      await flow.queues.settled();
    });
  });
});

describe('Events of the running service', () => {
  const dayMs = 86_400_000;

  /** The schema without room for other fields. */
  function closed(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(closed);
    if (typeof schema !== 'object' || schema === null) return schema;
    const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
    const copy = Object.fromEntries(entries) as Record<string, unknown>;
    return copy['properties'] ? { ...copy, additionalProperties: false } : copy;
  }

  let shop: Merchant;
  let received: Receiver;
  const order = buildOrder({ member_id: 'bob' });
  beforeAll(async () => {
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

describe('Merchants are isolated from each other', () => {
  let shopA: Merchant;
  let shopB: Merchant;
  beforeEach(async () => {
    [shopA, shopB] = [await flow.openMerchant(), await flow.openMerchant()];
  });

  it('orders with the same order_id are separate', async () => {
    const a = buildOrder({ order_id: 'same', paid_amount: 1 });
    const b = buildOrder({ order_id: 'same', paid_amount: 2 });
    await flow.syncAndSettle(shopA, a);
    await flow.syncAndSettle(shopB, b);
    expect(await readStoredOrder(flow.database, shopA.id, 'same')).toMatchObject({ paid_amount: 1 });
    expect(await readStoredOrder(flow.database, shopB.id, 'same')).toMatchObject({ paid_amount: 2 });
    await flow.syncAndSettle(shopB, { ...b, paid_amount: 3 });
    expect(await readStoredOrder(flow.database, shopA.id, 'same')).toMatchObject({
      paid_amount: 1,
      member_id: a.member_id,
    });
  });

  it('only the merchant’s own links earn rewards, and only their own webhooks are called', async () => {
    const hookA = await flow.receiver(shopA, 'reward.issue,reward.revoke');
    const hookB = await flow.receiver(shopB, 'reward.issue,reward.revoke');
    await flow.link(shopA, 'ann', 'bob');
    const order = buildOrder({ order_id: 'same', member_id: 'bob' });
    const evaluationJobs = await flow.queues.ever('reward-evaluation');
    await flow.syncAndSettle(shopB, order);
    expect(await flow.queues.ever('reward-evaluation')).toBe(evaluationJobs);
    expect([hookA.received.length, hookB.received.length]).toEqual([0, 0]);
    await flow.syncAndSettle(shopA, order);
    expect([hookA.received.length, hookB.received.length]).toEqual([2, 0]);
    expect(hookA.received.every(({ verified }) => verified)).toBe(true);
    await flow.syncAndSettle(shopB, { ...order, cancelled_at: order.order_date });
    expect(
      await flow.database.reward.count({
        where: { state: 'revoked', merchantId: { in: [shopA.id, shopB.id] } },
      }),
    ).toBe(0);
    expect([hookA.received.length, hookB.received.length]).toEqual([2, 0]);
  });

  it('referral codes, members and links of another merchant are unknown', async () => {
    const code = (await flow.boot(shopA, { user_id: 'ann' })).body.data['referral_code'];
    const booted = await flow.boot(shopB, { user_id: 'bob', referral_code: code });
    expect(booted.body.data).toMatchObject({ referrer_linked: false, link: 'unknown_code' });
    expect((await flow.link(shopA, 'ann', 'bob')).status).toBe(201);
    expect((await flow.link(shopB, 'eve', 'bob')).status).toBe(201);
    await flow.syncAndSettle(shopA, buildOrder({ member_id: 'carl' }));
    const carl = await flow.boot(shopB, { user_id: 'carl', referral_code: 'NOSUCH99' });
    expect(carl.body.data['link']).toBe('unknown_code');
  });

  it('data belongs to the merchant of the key, even if the body names another merchant', async () => {
    const order = { ...buildOrder({ order_id: 'foreign' }), merchant_id: shopA.id, merchantId: shopA.id };
    await flow.syncAndSettle(shopB, order);
    expect(await readStoredOrder(flow.database, shopA.id, 'foreign')).toBeUndefined();
    expect(await readStoredOrder(flow.database, shopB.id, 'foreign')).toBeDefined();
  });

  it('admin commands change nothing with the id of another merchant', async () => {
    await flow.receiver(shopA, 'reward.issue');
    const { webhooks } = (await flow.admin('webhook list', { merchant: shopA.id })) as {
      webhooks: [{ id: string }];
    };
    const { keys } = (await flow.admin('key list', { merchant: shopA.id })) as { keys: [{ id: string }] };
    await flow.link(shopA, 'ann', 'bob');
    await flow.syncAndSettle(shopA, buildOrder({ order_id: 'of-a', member_id: 'bob' }));
    const { deliveries } = (await flow.admin('delivery list', { merchant: shopA.id })) as {
      deliveries: [{ id: string }, { id: string }];
    };
    const attempts: [string, Record<string, string>][] = [
      ['webhook delete', { webhook: webhooks[0].id }],
      ['key revoke', { key: keys[0].id }],
      ['delivery show', { delivery: deliveries[0].id }],
      ['delivery retry', { delivery: deliveries[0].id }],
      ['order show', { order: 'of-a' }],
    ];
    expect(deliveries).toHaveLength(2);
    for (const [name, options] of attempts)
      await expect(flow.admin(name, { merchant: shopB.id, ...options })).rejects.toThrow('has no');
    const { status } = await flow.call(syncPath, { orders: [buildOrder()] }, { key: shopA.secretKey });
    expect(status).toBe(202);
  });
});
