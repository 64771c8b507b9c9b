import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addWebhook,
  createMerchant,
  openAdmin,
  removeStackData,
  startStack,
} from '@rewardhook/testing/servers';
import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import type { Admin, Stack } from '@rewardhook/testing/servers';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { readRows } from '../chaos/environment/read-rows.ts';
import { callWithRetries, syncPath } from './harness/call-api.ts';
import { documentedMetrics, exportedMetrics } from './operations/documented-metrics.ts';

// Every process for real.
jest.setTimeout(180_000);

interface Sent {
  type: string;
  data: { role: string; member_id: string; order: { order_id: string }; reward: { amount: number } };
}
const read = ({ rawBody }: ReceivedWebhook) => JSON.parse(rawBody.toString()) as Sent;

describe('An order of a linked member', () => {
  const first = buildOrder({ member_id: 'minsu' });
  const orders = [first, ...Array.from({ length: 20 }, () => buildOrder())];
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-flow-'));
  let stack: Stack;
  let admin: Admin;
  let receiver: Receiver;
  let shop: { merchantId: string; secretKey: string; signingSecret: string };
  beforeAll(async () => {
    stack = await startStack({ dataDir, ports: 'auto' });
    admin = openAdmin(stack.environment);
    shop = await createMerchant(admin, 'Flow shop');
    receiver = await startReceiver({ signingSecret: shop.signingSecret });
  });
  afterAll(async () => {
    await receiver?.close();
    await stack?.stop();
    removeStackData(dataDir);
  });

  it('passes through all processes and is delivered to both webhooks', async () => {
    const merchant = ['--merchant', shop.merchantId];
    for (const path of ['/loyalty', '/crm']) {
      await addWebhook(admin, shop.merchantId, receiver.url + path);
    }
    await admin('member', 'link', ...merchant, '--referrer', 'jisu', '--referee', 'minsu');
    const answer = await callWithRetries(stack.apiUrl, syncPath, { orders }, { key: shop.secretKey });
    expect([answer.status, answer.body]).toEqual([202, { data: { accepted_count: 21 } }]);

    const { received } = receiver;
    await waitFor(() => received.length >= 4, { deadlineMs: 30_000, what: 'four webhooks' });
    expect(received.map(({ verified, event }) => [verified, event])).toEqual(
      received.map(() => [true, 'reward.issue']),
    );
    const rewards = received.map(
      (webhook) => `${webhook.path} ${read(webhook).data.role} ${read(webhook).data.member_id}`,
    );
    expect(rewards.toSorted()).toEqual([
      '/crm referee minsu',
      '/crm referrer jisu',
      '/loyalty referee minsu',
      '/loyalty referrer jisu',
    ]);
    expect(received.every((webhook) => read(webhook).data.order.order_id === first.order_id)).toBe(true);
    expect(new Set(received.map(({ deliveryId }) => deliveryId)).size).toBe(4);
  });

  it('is stored and evaluated, as are the other orders', async () => {
    const rows = await readRows<{ order_id: string }>(stack.databaseUrl, 'SELECT order_id FROM orders');
    const ids = orders.map(({ order_id }) => order_id);
    expect(rows.map(({ order_id }) => order_id).toSorted()).toEqual(ids.toSorted());
    const show = ['order', 'show', '--merchant', shop.merchantId, '--order', first.order_id];
    const shown = await admin<{ order: object; decisions: object[] }>(...show);
    expect(shown.order).toMatchObject({ memberId: 'minsu', paidAmount: 33_000, version: expect.any(Number) });
    expect(shown.decisions).toMatchObject([{ outcome: 'rewarded' }]);
  });

  it('leaves no work, and doctor reports no problem', async () => {
    const isDone = async () => {
      const { deliveries } = await admin<{ deliveries: { state: string }[] }>(
        ...['delivery', 'list', '--merchant', shop.merchantId],
      );
      return deliveries.length === 4 && deliveries.every(({ state }) => state === 'delivered');
    };
    await waitFor(isDone, { deadlineMs: 30_000, what: 'the entry of every delivery as delivered' });
    expect(await admin('doctor')).toMatchObject({ clean: true, redis: { wrong: [], unknown: [] } });
  });

  it('is counted by the metrics that docs/operations/watch.md lists, in the processes that it names', async () => {
    const documented = documentedMetrics();
    for (const [name, url] of Object.entries(stack.healthUrls)) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const exported = exportedMetrics(text);
      expect({ name, exported }).toEqual({ name, exported: documented.get(name) });
    }
  });

  it('appears on a dashboard that requires a login', async () => {
    expect((await fetch(stack.dashboardUrl, { redirect: 'manual' })).status).toBe(401);
    const login = Buffer.from(`${stack.dashboardUser}:${stack.dashboardPassword}`).toString('base64');
    const headers = { authorization: `Basic ${login}` };
    expect((await fetch(stack.dashboardUrl, { headers })).status).toBe(200);
  });
});
