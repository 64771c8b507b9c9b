import { buildOrder, waitFor } from '@rewardhook/testing';
import { startFlow } from '../harness/start-flow.ts';
import type { Flow } from '../harness/start-flow.ts';
import type { Merchant } from '../harness/open-merchant.ts';
import { openTestSide } from './open-test-side.ts';

let flow: Flow;
let live: Merchant;
let side: Merchant;
beforeAll(async () => {
  flow = await startFlow();
  live = await flow.openMerchant('UTC');
  side = await openTestSide(flow, live);
});
afterAll(() => flow?.close());

const get = (path: string, key: string) => flow.call(path, undefined, { key, method: 'GET' });

describe('The two sides of a merchant', () => {
  it('have keys of their own, in which the mode can be read', () => {
    expect(live.secretKey).toMatch(/^svc_sk_(?!test_)/);
    expect(side.secretKey).toMatch(/^svc_sk_test_/);
    expect(side.publicKey).toMatch(/^svc_pk_test_/);
    expect(new Set([live.signingSecret, side.signingSecret]).size).toBe(2);
  });

  it('read nothing of each other', async () => {
    for (const merchant of [live, side]) {
      await flow.link(merchant, 'anna', 'ben');
      await flow.syncAndSettle(merchant, buildOrder({ order_id: `of-${merchant.id}`, member_id: 'ben' }));
    }
    const seen = async (path: string) =>
      Promise.all(
        [live, side].map(async ({ secretKey }) => JSON.stringify((await get(path, secretKey)).body)),
      );
    for (const path of ['/api/open/orders/', '/api/open/rewards/', '/api/open/events/']) {
      const [ofLive = '', ofTest = ''] = await seen(path);
      expect([path, ofLive.includes(`of-${live.id}`), ofLive.includes(`of-${side.id}`)]).toEqual([
        path,
        true,
        false,
      ]);
      expect([path, ofTest.includes(`of-${side.id}`), ofTest.includes(`of-${live.id}`)]).toEqual([
        path,
        true,
        false,
      ]);
    }
    expect((await get(`/api/open/orders/of-${live.id}/`, side.secretKey)).status).toBe(404);
    expect((await get(`/api/open/orders/of-${side.id}/`, live.secretKey)).status).toBe(404);
  });

  it('send events to webhooks of their own, and only those of the test side say so', async () => {
    const receivers = [
      await flow.receiver(live, 'reward.issue', {}, '/live'),
      await flow.receiver(side, 'reward.issue', {}, '/test'),
    ];
    for (const merchant of [live, side]) {
      await flow.link(merchant, 'cora', 'dan');
      await flow.sync(merchant, buildOrder({ order_id: 'sent', member_id: 'dan' }));
    }
    const modes = await Promise.all(
      receivers.map(async (receiver) => {
        await waitFor(() => receiver.received.length === 2, { what: 'the webhooks' });
        return receiver.received.map(({ rawBody, verified }) => [
          (JSON.parse(rawBody.toString()) as { mode?: string }).mode,
          verified,
        ]);
      }),
    );
    expect(modes).toEqual([
      [
        [undefined, true],
        [undefined, true],
      ],
      [
        ['test', true],
        ['test', true],
      ],
    ]);
  });

  it('are created once, however many calls use the test side first', async () => {
    const other = await flow.openMerchant();
    const shown = await Promise.all(
      Array.from({ length: 5 }, () => flow.admin('merchant show --test', { merchant: other.id })),
    );
    expect(new Set(shown.map(({ merchant }) => (merchant as { id: string }).id)).size).toBe(1);
    expect(shown[0]).toMatchObject({ merchant: { mode: 'test', liveMerchantId: other.id } });
  });

  it('are both operated on the command line, and users belong to the live one', async () => {
    await expect(
      flow.admin('merchant invite --test', { merchant: live.id, email: 'guest@example.com' }),
    ).rejects.toThrow('Users belong to both sides');
    await expect(flow.admin('merchant show --test', { merchant: 'mer_missing' })).rejects.toThrow(
      'There is no merchant mer_missing',
    );
  });
});
