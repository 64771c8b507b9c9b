import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openConsole } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant } from '../../testing/open-console.ts';
import type {
  AuditPage,
  DeliveryPage,
  DeliveryView,
  ReplayPage,
  ReplayView,
  SessionView,
  SignatureCheckResponse,
  WebhookPage,
  WebhookTestResponse,
  WebhookView,
} from '../api-types.ts';

describe('Webhooks in the console', () => {
  let flow: Flow;
  let running: RunningConsole;
  let owner: SignedUpMerchant;
  let receiver: Receiver;
  let status = 204;
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
  const register = async (path: string, types = ['reward.issue']) => {
    const answer = await owner.browser.post('/webhooks', { url: receiver.url + path, event_types: types });
    expect(answer.status).toBe(201);
    return answer.data as WebhookView;
  };
  const show = async (id: string) => (await owner.browser.get(`/webhooks/${id}`)).data as WebhookView;
  const reward = async (referee: string) => {
    await flow.link(owner.merchant, `${referee}-referrer`, referee);
    const order = buildOrder({ order_id: `${referee}-order`, member_id: referee });
    await flow.syncAndSettle(owner.merchant, order);
    return order.order_id;
  };
  const deliveriesOf = async (query: string) =>
    ((await owner.browser.get(`/deliveries?${query}`)).data as DeliveryPage).items;

  it('A webhook can be registered for event types, changed, and listed with its health', async () => {
    expect((await owner.browser.get('/webhooks')).data).toEqual({ items: [], next: null });
    const [first, second] = [await register('/one'), await register('/two')];
    expect(first).toMatchObject({
      event_types: ['reward.issue'],
      status: 'active',
      breaker: null,
      health: { attempts: 0, succeeded: 0, success_rate: null, p95_ms: null },
      waiting: 0,
      held: 0,
    });
    const types = (await owner.browser.get('/webhooks/event-types')).data as string[];
    expect(types).toContain('reward.revoke');
    await flow.database.endpoint.updateMany({
      where: { id: first.id },
      data: { breakerOpenedAt: new Date(), sendAfter: new Date(Date.now() + 600_000), failuresInARow: 7 },
    });
    expect((await owner.browser.get(`/webhooks/${first.id}`)).data).toMatchObject({
      status: 'failing',
      half_open: false,
    });
    await flow.database.endpoint.updateMany({
      where: { id: second.id },
      data: { rampPerSecond: 2 },
    });
    expect((await owner.browser.get(`/webhooks/${second.id}`)).data).toMatchObject({
      status: 'active',
      breaker: null,
      half_open: true,
    });
    const changed = await owner.browser.send('PATCH', `/webhooks/${first.id}`, {
      event_types: ['reward.issue', 'reward.revoke'],
      retry_hours: 24,
      url: `${receiver.url}/new`,
    });
    expect(changed.data).toMatchObject({
      retry_hours: 24,
      url: `${receiver.url}/new`,
      status: 'active',
      breaker: null,
    });
    await reward('ann');
    const { items } = (await owner.browser.get('/webhooks')).data as WebhookPage;
    expect(items.map(({ id, health }) => [id, health.attempts, health.success_rate])).toEqual([
      [first.id, 2, 1],
      [second.id, 2, 1],
    ]);
    expect(items[0]?.health.p95_ms).toEqual(expect.any(Number));
    const inside = await owner.browser.post('/webhooks', {
      url: 'https://10.1.1.1/',
      event_types: ['nothing'],
    });
    expect(Object.keys(inside.body.params ?? {})).toEqual(['event_types.0']);
    const blocked = await owner.browser.post('/webhooks', {
      url: 'https://10.1.1.1/',
      event_types: ['reward.issue'],
    });
    expect(blocked.body.params).toEqual({ url: 'must point to a public address' });
  });

  it('A test event is sent and its response is returned', async () => {
    const { id } = await register('/tested');
    status = 503;
    const failed = (await owner.browser.post(`/webhooks/${id}/test`, {})).data as WebhookTestResponse;
    status = 204;
    expect(failed.attempt).toMatchObject({ number: 1, status: 503, error_class: null });
    const { delivery_id: deliveryId, attempt } = (await owner.browser.post(`/webhooks/${id}/test`, {}))
      .data as WebhookTestResponse;
    expect(attempt.timings).toMatchObject({
      total_ms: expect.any(Number),
      first_byte_ms: expect.any(Number),
    });
    const got = await receiver.waitFor((webhook) => webhook.deliveryId === deliveryId);
    expect([got.event, got.verified]).toEqual(['webhook.ping', true]);
    expect(attempt.request_headers).toMatchObject({
      'X-Service-Signature': got.headers['x-service-signature'],
    });
    const checked = (
      await owner.browser.post('/signature-check', {
        headers: Object.entries(got.headers)
          .map(([name, value]) => `${name}: ${String(value)}`)
          .join('\n'),
        body: got.rawBody.toString(),
      })
    ).data as SignatureCheckResponse;
    expect(checked).toMatchObject({
      ok: true,
      results: [
        { header: 'X-Service-Signature', matches: true, why: 'ok' },
        { header: 'webhook-signature', matches: true, why: 'ok' },
      ],
      event: { type: 'webhook.ping' },
    });
    const { checklist } = (await owner.browser.get('/home')).data as { checklist: object };
    expect(checklist).toMatchObject({ signature_verified: true, webhook_registered: true });
  });

  it('The deliveries of a paused webhook are held, and sent when it is resumed', async () => {
    const { id } = await register('/paused');
    const paused = await owner.browser.post(`/webhooks/${id}/pause`);
    expect(paused.data).toMatchObject({ status: 'paused', paused_at: expect.any(String) });
    expect((await owner.browser.post(`/webhooks/${id}/pause`)).body.code).toBe('conflict');
    expect((await owner.browser.post(`/webhooks/${id}/enable`)).body.code).toBe('conflict');
    await reward('bob');
    expect(await show(id)).toMatchObject({ held: 2, waiting: 0 });
    const [held] = await deliveriesOf(`endpoint_id=${id}&state=held`);
    const delivery = (await owner.browser.get(`/deliveries/${held?.id}`)).data as DeliveryView;
    expect(delivery).toMatchObject({
      next_attempt_reason: 'paused',
      attempts: [],
      endpoint: { status: 'paused' },
    });
    expect((await owner.browser.post(`/webhooks/${id}/resume`)).data).toMatchObject({ status: 'active' });
    await waitFor(async () => (await show(id)).health.succeeded === 2, { what: 'what was held' });
    expect(await show(id)).toMatchObject({ held: 0, waiting: 0 });
  });

  it('A pause of the operator is shown with its contact, and nothing is sent until it ends', async () => {
    const { id } = await register('/operator-paused');
    const merchant = owner.merchant.id;
    const contact = 'ops@example.com';
    const ping = { type: 'webhook.ping' };
    expect((await owner.browser.post(`/webhooks/${id}/test`, ping)).status).toBe(200);
    await flow.admin('merchant pause', {
      merchant,
      only: 'delivery',
      reason: 'an audit of rewards',
      contact,
    });
    const session = (await owner.browser.get('/session')).data as SessionView;
    expect(session.merchant.pause).toEqual({
      ingest_since: null,
      delivery_since: expect.any(String),
      contact,
    });
    // The reason is for other operators.
    const entries = (await owner.browser.get('/audit?action=merchant.paused')).data as AuditPage;
    expect(entries.items.map(({ details }) => details)).toEqual([{ parts: ['delivery'], contact }]);
    for (const call of ['test', 'certify']) {
      const refused = await owner.browser.post(`/webhooks/${id}/${call}`, call === 'test' ? ping : undefined);
      expect([refused.status, refused.body.reason]).toEqual([
        409,
        { code: 'delivery_paused', parameters: { contact } },
      ]);
    }
    await reward('dan');
    const [waiting] = await deliveriesOf(`endpoint_id=${id}&state=pending`);
    const retried = (await owner.browser.post(`/deliveries/${waiting?.id}/retry`)).data as DeliveryView;
    expect(retried).toMatchObject({ next_attempt_at: null, next_attempt_reason: 'operator_paused' });
    await flow.admin('merchant resume', { merchant });
    await waitFor(async () => (await show(id)).health.succeeded === 3, { what: 'what waited' });
    expect(((await owner.browser.get('/session')).data as SessionView).merchant.pause).toBeNull();
  });

  it('A replay sends deliveries again, after a preview of their number', async () => {
    const { id } = await register('/replayed');
    await reward('carl');
    const range = { states: ['delivered'], from: '2026-01-01T00:00:00Z', until: '2036-01-01T00:00:00Z' };
    const preview = await owner.browser.post(`/webhooks/${id}/replays/preview`, range);
    expect(preview.data).toEqual({ count: 2, complete: true, skipped: {} });
    const before = receiver.received.length;
    const asked = { ...range, new_ids: true, per_minute: 60_000 };
    const made = await owner.browser.post(`/webhooks/${id}/replays`, asked);
    expect(made.data).toMatchObject({ endpoint_id: id, state: 'running', total: 2 });
    const replay = made.data as ReplayView;
    await waitFor(() => receiver.received.length === before + 2, { what: 'the replay' });
    const ended = await waitFor(
      async () => {
        const now = (await owner.browser.get(`/replays/${replay.id}`)).data as ReplayView;
        return now.state === 'done' && now;
      },
      { what: 'its end' },
    );
    expect(ended).toMatchObject({ done: 2, finished_at: expect.any(String) });
    expect((await owner.browser.post(`/replays/${replay.id}/cancel`)).body.code).toBe('conflict');
    const { items } = (await owner.browser.get('/replays')).data as ReplayPage;
    expect(items).toEqual([ended]);
    const sent = await deliveriesOf(`endpoint_id=${id}`);
    expect(sent.map(({ replay_id: from }) => from)).toEqual([replay.id, replay.id, null, null]);
    const slow = (await owner.browser.post(`/webhooks/${id}/replays`, { ...asked, per_minute: 1 }))
      .data as ReplayView;
    expect((await owner.browser.post(`/replays/${slow.id}/pause`)).data).toMatchObject({ state: 'paused' });
    expect((await owner.browser.post(`/replays/${slow.id}/resume`)).data).toMatchObject({ state: 'running' });
    expect((await owner.browser.post(`/replays/${slow.id}/cancel`)).data).toMatchObject({
      state: 'cancelled',
    });
  });

  it('A delivery is returned with its attempts and the reason for its next attempt, and can be retried at once', async () => {
    status = 500;
    const { id } = await register('/failing');
    const orderId = await reward('dora');
    const items = await waitFor(
      async () => {
        const found = await deliveriesOf(`endpoint_id=${id}&search=${orderId}`);
        return found.length === 2 && found.every(({ attempts_made: made }) => made > 0) ? found : undefined;
      },
      { what: 'the first attempts' },
    );
    expect(new Set(items.map(({ member_id: member }) => member))).toEqual(new Set(['dora', 'dora-referrer']));
    expect(items[0]).toMatchObject({ state: 'pending', last_status: 500, event_type: 'reward.issue' });
    const path = `/deliveries/${items[0]?.id}`;
    const delivery = (await owner.browser.get(path)).data as DeliveryView;
    expect(['retry', 'due_now', 'breaker']).toContain(delivery.next_attempt_reason);
    expect(JSON.parse(delivery.event.body)).toMatchObject({ data: { order: { order_id: orderId } } });
    expect(delivery.attempts[0]).toMatchObject({ number: 1, status: 500, url: `${receiver.url}/failing` });
    expect(delivery.attempts[0]?.timings.total_ms).toEqual(expect.any(Number));
    status = 204;
    expect((await owner.browser.post(`${path}/retry`)).status).toBe(200);
    await waitFor(async () => ((await owner.browser.get(path)).data as DeliveryView).state === 'delivered', {
      what: 'its delivery',
    });
    expect((await owner.browser.get('/deliveries/no-uuid')).status).toBe(404);
  });
});
