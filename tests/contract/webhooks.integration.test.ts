import { createHmac } from 'node:crypto';
import type { RewardEventData } from '@rewardhook/contract';
import { buildOrder, hasValidSignature, waitFor } from '@rewardhook/testing';
import type { ReceivedWebhook } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

describe('Webhooks of the contract', () => {
  let flow: Flow;
  let shop: Merchant;
  beforeAll(async () => {
    flow = await startFlow();
  });
  beforeEach(async () => {
    shop = await flow.openMerchant();
  });
  afterAll(() => flow.close());

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
