import { countAttempts } from '@rewardhook/database/operations';
import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type {
  AuditEntryView,
  DeliveryListRow,
  DeliveryView,
  Page,
  ReplayPreview,
  RetryPlan,
  WebhookHealthRow,
  WebhookView,
} from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
let owner: SignedUpMerchant;
let receiver: Receiver;
let status = 503;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
  owner = await running.signUp();
  receiver = await startReceiver({
    signingSecret: owner.merchant.signingSecret,
    respond: () => status,
  });
});
afterAll(async () => {
  await receiver.close();
  await running.close();
  await flow.close();
});

const get = async <T>(path: string) => (await owner.browser.get(path)).data as T;
const list = async (query: string) => (await get<Page<DeliveryListRow>>(`/deliveries?${query}`)).items;
const hour = 3_600_000;

/** A webhook whose breaker is open and which has four deliveries: two that wait after a failure, and an old and a new one that do not. */
async function openFailing(name: string): Promise<WebhookView> {
  status = 503;
  const body = { name, url: `${receiver.url}/${name}`, event_types: ['reward.issue'] };
  const webhook = (await owner.browser.post('/webhooks', body)).data as WebhookView;
  for (const member of [`${name}-1`, `${name}-2`]) {
    await flow.link(owner.merchant, `${member}-referrer`, member);
    await flow.syncAndSettle(owner.merchant, buildOrder({ order_id: `${member}-order`, member_id: member }));
  }
  await waitFor(async () => (await list(`endpoint_id=${webhook.id}&min_attempts=1`)).length > 0, {
    what: 'a failed attempt',
  });
  await flow.database.endpoint.updateMany({
    where: { id: webhook.id },
    data: {
      breakerOpenedAt: new Date(),
      firstSuccessAt: new Date(),
      sendAfter: new Date(Date.now() + hour),
      inFlightLimit: 4,
    },
  });
  return webhook;
}

describe('Deliveries in the console', () => {
  it('A delivery has the state that a person asks for, what it waits for, its reward, and a short name of its webhook', async () => {
    const { id, label } = await openFailing('shop-server');
    expect(label).toBe('shop-server');
    const rows = await list(`endpoint_id=${id}&progress=waiting`);
    expect(rows).toHaveLength(4);
    expect(rows.at(-1)).toMatchObject({
      state: 'pending',
      waiting_for: 'breaker',
      webhook_label: 'shop-server',
      member_id: expect.stringMatching(/^shop-server-1/),
      order_id: 'shop-server-1-order',
      amount: 3000,
      unit: 'points',
    });
    const set = (data: object) => flow.database.endpoint.updateMany({ where: { id }, data });
    const progressOf = async () =>
      (await list(`endpoint_id=${id}&min_attempts=1`)).map((row) => [row.progress, row.waiting_for])[0];
    await set({ parkedAt: new Date() });
    expect(await progressOf()).toEqual(['waiting', 'parked']);
    await set({ parkedAt: null, operatorPausedAt: new Date() });
    expect(await progressOf()).toEqual(['waiting', 'operator_paused']);
    await set({ operatorPausedAt: null, breakerOpenedAt: null });
    expect(await progressOf()).toEqual(['waiting', 'retry_after']);
    await flow.database.delivery.updateMany({
      where: { endpointId: id },
      data: { nextAttemptAt: new Date(Date.now() + hour) },
    });
    await set({ sendAfter: null });
    expect(await progressOf()).toEqual(['retrying', null]);
    await owner.browser.post(`/webhooks/${id}/pause`);
    expect(await progressOf()).toEqual(['held', 'paused']);
    expect(await list(`endpoint_id=${id}&progress=held`)).toHaveLength(4);
    for (const progress of ['sending', 'retrying', 'waiting', 'failed', 'delivered', 'cancelled'])
      expect(await list(`endpoint_id=${id}&progress=${progress}`)).toEqual([]);
    // Two webhooks of one host are told apart by their paths, and by a name where there is one.
    for (const path of ['a/one', 'a/two'])
      await owner.browser.post('/webhooks', {
        url: `${receiver.url}/${path}`,
        event_types: ['reward.revoke'],
      });
    const { items } = await get<Page<WebhookView>>('/webhooks');
    expect(items.map((webhook) => webhook.label)).toEqual(['shop-server', '/a/one', '/a/two']);
    const changed = await owner.browser.send('PATCH', `/webhooks/${id}`, { name: null });
    expect(changed.data).toMatchObject({ name: null, label: '/shop-server' });
  });

  it('Deliveries are found by the answer to their last attempt and by their attempts', async () => {
    const { id } = await openFailing('answers');
    const of = `endpoint_id=${id}`;
    const failed = await list(`${of}&min_attempts=1`);
    expect(failed.length).toBeGreaterThan(0);
    for (const answer of ['5xx', '503']) expect(await list(`${of}&answer=${answer}`)).toEqual(failed);
    for (const answer of ['2xx', '4xx', '500', 'none', 'timeout'])
      expect(await list(`${of}&answer=${answer}`)).toEqual([]);
    const [one] = failed;
    await flow.database.delivery.updateMany({
      where: { id: one?.id ?? '' },
      data: { lastStatus: null, lastErrorClass: 'timeout' },
    });
    for (const answer of ['none', 'timeout'])
      expect((await list(`${of}&answer=${answer}`)).map((row) => row.id)).toEqual([one?.id]);
    expect(await list(`${of}&answer=dns`)).toEqual([]);
    expect((await owner.browser.get('/deliveries?answer=6xx')).status).toBe(400);
    // A replay of all webhooks, by answer: what waits is counted beside it.
    const range = { states: ['exhausted'], from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
    const preview = async (answers: string[]) =>
      (await owner.browser.post('/replays/preview', { ...range, answers })).data as ReplayPreview;
    expect(await preview(['timeout'])).toEqual({ count: 0, complete: true, skipped: { pending: 1 } });
    const { attempts } = await get<DeliveryView>(`/deliveries/${one?.id}`);
    expect(attempts[0]?.response_headers).toMatchObject({ date: expect.any(String) });
  });

  it('Selected deliveries are retried after a plan, in one call with one entry in the activity', async () => {
    const { id } = await openFailing('selected');
    const rows = await list(`endpoint_id=${id}`);
    const ids = rows.map((row) => row.id);
    const unknown = crypto.randomUUID();
    const send = async (body: object) => owner.browser.post('/deliveries/retry', body);
    const plan = (await send({ ids: [...ids, unknown], dry_run: true })).data as RetryPlan;
    expect(plan.items).toEqual([
      ...ids.map((one) => ({ id: one, does: 'later', refusal: null })),
      { id: unknown, does: 'refused', refusal: 'not_found' },
    ]);
    expect((await send({ ids: [unknown] })).data).toEqual({ items: plan.items.slice(-1) });
    const made = (await send({ ids: [...ids, unknown] })).data as RetryPlan;
    expect(made).toEqual(plan);
    const times = (await list(`endpoint_id=${id}`)).map((row) => row.waiting_for);
    // The first one is due at once.
    expect(new Set(times)).toContain('requested');
    const entries = await get<Page<AuditEntryView>>('/audit?action=delivery.retried');
    expect(entries.items.map(({ details }) => details)).toEqual([
      { ids: expect.arrayContaining(ids), refused: 1 },
    ]);
    expect((await send({ ids: Array.from({ length: 101 }, () => crypto.randomUUID()) })).status).toBe(400);
  });

  it('A probe sends the oldest waiting delivery, and its success sends the others; the health counts attempts without test events', async () => {
    const { id } = await openFailing('probed');
    const failures = (await list(`endpoint_id=${id}`)).reduce((sum, row) => sum + row.attempts_made, 0);
    status = 204;
    const probe = (await owner.browser.post(`/webhooks/${id}/probe`)).data as DeliveryView;
    expect(probe).toMatchObject({ order_id: 'probed-1-order' });
    await waitFor(async () => (await list(`endpoint_id=${id}&progress=delivered`)).length === 4, {
      what: 'what waited',
    });
    expect((await owner.browser.post(`/webhooks/${id}/probe`)).body.reason).toMatchObject({
      code: 'nothing_waiting',
    });
    await owner.browser.post(`/webhooks/${id}/test`, {});
    await countAttempts(flow.database, { now: new Date(Date.now() + 120_000) });
    await countAttempts(flow.database, { now: new Date(Date.now() + 120_000) });
    const counts = {
      attempts: failures + 4,
      succeeded: 4,
      failures: [{ outcome: '503', total: failures }],
      p95_ms: expect.any(Number),
    };
    const health = await get<WebhookHealthRow>(`/webhooks/${id}/health`);
    expect(health.spans).toMatchObject([1, 7, 30].map((days) => ({ days, ...counts })));
    expect(await get<WebhookView>(`/webhooks/${id}`)).toMatchObject({
      name: 'probed',
      health: { attempts: failures + 4, succeeded: 4 },
    });
    // Three hours later each quarter-hour has been counted once more, with the same result.
    await countAttempts(flow.database, { now: new Date(Date.now() + 3 * hour) });
    expect((await get<WebhookHealthRow>(`/webhooks/${id}/health`)).spans).toEqual(health.spans);
  });
});
