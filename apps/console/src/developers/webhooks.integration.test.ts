import { newMerchantId } from '@rewardhook/contract';
import { countAttempts } from '@rewardhook/database/operations';
import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import { findLink } from '@rewardhook/testing/mail';
import { syncPath } from '../../../../tests/harness/call-api.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import { openTestSide } from '../../../../tests/test-side/open-test-side.ts';
import { openConsole, goodPassword } from '../../testing/open-console.ts';
import type { RunningConsole, SignedUpMerchant, Answer } from '../../testing/open-console.ts';
import type {
  AuditEntryView,
  CredentialsView,
  DeliveryListRow,
  DeliveryView,
  Page,
  ReplayListRow,
  SampleView,
  SessionView,
  SignUpResponse,
  SignatureCheckResponse,
  TestDataView,
  WebhookTestResponse,
  WebhookView,
} from '../api-types.ts';

let flow: Flow;
let running: RunningConsole;
beforeAll(async () => {
  flow = await startFlow();
  running = await openConsole(flow.environment);
});
afterAll(async () => {
  await running.close();
  await flow.close();
});

describe('Webhooks in the console', () => {
  let owner: SignedUpMerchant;
  let receiver: Receiver;
  let status = 204;
  beforeAll(async () => {
    owner = await running.signUp();
    receiver = await startReceiver({
      signingSecret: owner.merchant.signingSecret,
      respond: () => status,
    });
  });
  afterAll(() => receiver.close());
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
    ((await owner.browser.get(`/deliveries?${query}`)).data as Page<DeliveryListRow>).items;

  const waitForDelivered = (id: string, count: number) =>
    waitFor(async () => (await deliveriesOf(`endpoint_id=${id}&progress=delivered`)).length === count, {
      what: 'its deliveries',
    });

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
    // Two minutes later, housekeeping has counted its attempts.
    await countAttempts(flow.database, { now: new Date(Date.now() + 120_000) });
    const { items } = (await owner.browser.get('/webhooks')).data as Page<WebhookView>;
    expect(items.map(({ id, health }) => [id, health.attempts, health.success_rate])).toEqual([
      [first.id, 2, 1],
      [second.id, 2, 1],
    ]);
    expect(items[0]?.health.p95_ms).toEqual(expect.any(Number));
    const inside = await owner.browser.post('/webhooks', {
      url: 'https://10.1.1.1/',
      event_types: ['nothing'],
    });
    expect(Object.keys(inside.body.params ?? {})).toEqual(['event_types[0]']);
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
    const shop = await flow.database.merchant.findUniqueOrThrow({ where: { id: owner.merchant.id } });
    expect(shop.signatureCheckedAt).toEqual(expect.any(Date));
  });

  it('The deliveries of a paused webhook are held, and sent when it is resumed', async () => {
    const { id } = await register('/paused');
    const paused = await owner.browser.post(`/webhooks/${id}/pause`);
    expect(paused.data).toMatchObject({ status: 'paused', paused_at: expect.any(String) });
    expect((await owner.browser.post(`/webhooks/${id}/pause`)).body.code).toBe('conflict');
    expect((await owner.browser.post(`/webhooks/${id}/enable`)).body.code).toBe('conflict');
    await reward('bob');
    expect(await show(id)).toMatchObject({ held: 2, waiting: 0 });
    const [held] = await deliveriesOf(`endpoint_id=${id}&progress=held`);
    const delivery = (await owner.browser.get(`/deliveries/${held?.id}`)).data as DeliveryView;
    expect(delivery).toMatchObject({
      next_attempt_reason: 'paused',
      attempts: [],
      endpoint: { status: 'paused' },
    });
    expect((await owner.browser.post(`/webhooks/${id}/resume`)).data).toMatchObject({ status: 'active' });
    await waitForDelivered(id, 2);
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
    const entries = (await owner.browser.get('/audit?action=merchant.paused')).data as Page<AuditEntryView>;
    expect(entries.items.map(({ details }) => details)).toEqual([{ parts: ['delivery'], contact }]);
    for (const call of ['test', 'certify']) {
      const refused = await owner.browser.post(`/webhooks/${id}/${call}`, call === 'test' ? ping : undefined);
      expect([refused.status, refused.body.reason]).toEqual([
        409,
        { code: 'delivery_paused', parameters: { contact } },
      ]);
    }
    await reward('dan');
    const [waiting] = await deliveriesOf(`endpoint_id=${id}&progress=waiting`);
    const retried = (await owner.browser.post(`/deliveries/${waiting?.id}/retry`)).data as DeliveryView;
    expect(retried).toMatchObject({ next_attempt_at: null, next_attempt_reason: 'operator_paused' });
    await flow.admin('merchant resume', { merchant });
    await waitForDelivered(id, 3);
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
    const replay = made.data as ReplayListRow;
    await waitFor(() => receiver.received.length >= before + 2, { what: 'the replay' });
    const ended = await waitFor(
      async () => {
        const now = (await owner.browser.get(`/replays/${replay.id}`)).data as ReplayListRow;
        return now.state === 'done' && now;
      },
      { what: 'its end' },
    );
    expect(ended).toMatchObject({ done: 2, finished_at: expect.any(String) });
    expect((await owner.browser.post(`/replays/${replay.id}/cancel`)).body.code).toBe('conflict');
    const { items } = (await owner.browser.get('/replays')).data as Page<ReplayListRow>;
    expect(items).toEqual([ended]);
    const sent = await deliveriesOf(`endpoint_id=${id}`);
    expect(sent.map(({ replay_id: from }) => from)).toEqual([replay.id, replay.id, null, null]);
    const slow = (await owner.browser.post(`/webhooks/${id}/replays`, { ...asked, per_minute: 1 }))
      .data as ReplayListRow;
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

describe('The test side of a merchant', () => {
  let owner: SignedUpMerchant;
  beforeAll(async () => {
    owner = await running.signUp();
  });

  const dataOf = async <T>(answer: Promise<Answer>) => (await answer).data as T;

  /** Creates a sample and waits until it has reached a step. */
  async function runSample(until: SampleView['step']): Promise<SampleView> {
    const created = await owner.browser.post('/test/samples');
    expect(created.status).toBe(201);
    const { order_id: id } = created.data as SampleView;
    let sample: SampleView | undefined;
    await waitFor(
      async () => {
        sample = await dataOf<SampleView>(owner.browser.get(`/test/samples/${id}`));
        return sample.step === until;
      },
      { deadlineMs: 20_000, what: `the step ${until}` },
    );
    return sample as SampleView;
  }

  async function publish(changes: object): Promise<void> {
    const { versions } = await dataOf<{ versions: { version: number }[] }>(
      owner.browser.get('/test/program'),
    );
    const body = { terms: changes, base_version: versions[0]?.version };
    expect((await owner.browser.post('/test/program', body)).status).toBe(201);
  }

  describe('The test side in the console', () => {
    it('has keys of its own, which belong to the user who created them', async () => {
      const created = await owner.browser.post('/test/credentials/api-keys', {
        kind: 'secret',
        name: 'mine',
      });
      expect(created.data).toMatchObject({ value: expect.stringMatching(/^svc_sk_test_/) });
      const keysOf = async (path: string) =>
        (await dataOf<{ api_keys: { name: string }[] }>(owner.browser.get(path))).api_keys.map(
          ({ name }) => name,
        );
      expect(await keysOf('/test/credentials')).toContain('mine');
      expect(await keysOf('/credentials')).not.toContain('mine');
    });

    it('has the name and the time zone of the live side, and its team', async () => {
      await owner.browser.send('PATCH', '/test/merchant', { name: 'Renamed shop', timezone: 'Europe/Paris' });
      const { merchant: live } = await flow.admin('merchant show', { merchant: owner.merchant.id });
      const { merchant: side } = await flow.admin('merchant show --test', { merchant: owner.merchant.id });
      for (const one of [live, side])
        expect(one).toMatchObject({ name: 'Renamed shop', timezone: 'Europe/Paris' });
      expect((await owner.browser.get('/test/team')).text).toBe((await owner.browser.get('/team')).text);
    });

    it('has no routes on the live side', async () => {
      for (const [method, path] of [
        ['GET', '/test-data'],
        ['DELETE', '/test-data'],
        ['POST', '/samples'],
        ['POST', '/program/copy-live'],
      ] as const)
        expect([path, (await owner.browser.send(method, path)).status]).toEqual([path, 404]);
    });
  });

  describe('A sample', () => {
    it('ends in confirmed rewards and their webhooks', async () => {
      const side = await openTestSide(flow, owner.merchant);
      const receiver = await flow.receiver(side, 'reward.issue');
      const sample = await runSample('done');
      expect(sample.rewards.map(({ role, state }) => [role, state])).toEqual([
        ['referee', 'confirmed'],
        ['referrer', 'confirmed'],
      ]);
      expect(sample.deliveries.map(({ state }) => state)).toEqual(['delivered', 'delivered']);
      const bodies = receiver.received.map(({ rawBody }) => JSON.parse(rawBody.toString()) as object);
      expect(bodies).toHaveLength(2);
      for (const body of bodies)
        expect(body).toMatchObject({ mode: 'test', data: { order: { order_id: sample.order_id } } });
    });

    it('waits for the end of the hold of the program, which can be ended', async () => {
      await publish({ holdDays: 14, minimumPaidAmount: 80_000 });
      const held = await runSample('holding');
      expect(held.rewards.every(({ confirm_due_at: at }) => at !== null)).toBe(true);
      const path = `/test/samples/${held.order_id}`;
      expect((await owner.browser.post(`${path}/end-hold`)).status).toBe(200);
      await waitFor(async () => (await dataOf<SampleView>(owner.browser.get(path))).step === 'done', {
        deadlineMs: 20_000,
        what: 'the end of the sample',
      });
    });

    it('says which decision gave no reward', async () => {
      await publish({ budget: 1 });
      const { decision, rewards } = await runSample('no_reward');
      expect([decision?.reason, rewards]).toEqual(['budget_exhausted', []]);
    });

    it('is unknown once the test data was deleted', async () => {
      await owner.browser.post('/test/program/copy-live');
      const { order_id: id } = await runSample('done');
      const requested = await owner.browser.send('DELETE', '/test/test-data');
      expect([requested.status, (requested.data as TestDataView).deleting_since]).toEqual([
        202,
        expect.any(String),
      ]);
      await waitFor(
        async () => {
          const state = await dataOf<TestDataView>(owner.browser.get('/test/test-data'));
          return state.deleting_since === null && state.deleted_at !== null;
        },
        { deadlineMs: 15_000, what: 'the deletion' },
      );
      expect((await owner.browser.get(`/test/samples/${id}`)).status).toBe(404);
    });

    it('is in the audit still', async () => {
      const { items } = await dataOf<{ items: { action: string }[] }>(
        owner.browser.get('/test/audit?limit=100'),
      );
      const { actions } = await dataOf<{ actions: string[] }>(owner.browser.get('/test/audit/filters'));
      for (const named of [items.map(({ action }) => action), actions])
        expect(named).toEqual(expect.arrayContaining(['sample.created', 'test_data.wiped']));
    });
  });

  describe('The creation of the test side', () => {
    it('comes with the sign-up, with the first keys; the live side has no secret key yet', async () => {
      const browser = running.browser();
      const signedUp = await running.createAccount(browser, 'newcomer@example.com', 'Fresh shop');
      const { secret_key: secretKey, signing_secret: signingSecret } = signedUp.first_keys;
      const [test, live] = [
        await dataOf<CredentialsView>(browser.get('/test/credentials')),
        await dataOf<CredentialsView>(browser.get('/credentials')),
      ];
      const kindsOf = ({ api_keys: keys }: CredentialsView) => keys.map(({ kind }) => kind).toSorted();
      expect([kindsOf(test), kindsOf(live)]).toEqual([['public', 'secret'], ['public']]);
      expect(test.api_keys.map(({ value }) => value)).toContain(signedUp.first_keys.public_key);
      const revealed = await browser.post(
        `/test/credentials/signing-keys/${test.signing_keys[0]?.id}/reveal`,
      );
      expect(revealed.data).toEqual({ secret: signingSecret });
      const order = buildOrder();
      expect((await flow.call(syncPath, { orders: [order] }, { key: secretKey })).status).toBe(202);
      const isStored = async (side: string) =>
        (await browser.get(`${side}/orders/${order.order_id}`)).status === 200;
      await waitFor(() => isStored('/test'), { what: 'the order on the test side' });
      expect(await isStored('')).toBe(false);
    });

    it('comes with another merchant of a user, too', async () => {
      const created = await owner.browser.post('/merchants', { merchant_name: 'Second shop' });
      const { session, first_keys: firstKeys } = created.data as SignUpResponse;
      expect(firstKeys.secret_key).toMatch(/^svc_sk_test_/);
      const { testSide } = await flow.database.merchant.findUniqueOrThrow({
        where: { id: session.merchant.id },
        include: { testSide: { include: { program: true } } },
      });
      expect(testSide?.program).toBeDefined();
      await owner.browser.post('/session/merchant', { merchant_id: owner.merchant.id });
    });

    it('of a merchant of the operator is the first call of a developer or an owner, and the audit names them; a viewer sees what to do', async () => {
      const merchant = await flow.openMerchant();
      const shop = { merchant, email: 'first-owner@example.com', browser: running.browser() };
      const { link } = (await flow.admin('merchant invite', {
        merchant: merchant.id,
        email: shop.email,
      })) as {
        link: string;
      };
      await shop.browser.post(`${new URL(link).pathname}/accept`, { password: goodPassword });
      const email = 'first-viewer@example.com';
      await shop.browser.post('/team/invitations', { email, role: 'viewer' });
      const viewer = running.browser();
      await viewer.post(`${findLink(await running.mail.waitFor(email))}/accept`, { password: goodPassword });
      const refused = await viewer.get('/test/home');
      expect([refused.status, refused.body.code, refused.body.reason, refused.body.message]).toEqual([
        403,
        'forbidden',
        { code: 'test_side_missing', parameters: {} },
        expect.stringContaining('must open it first'),
      ]);
      const find = () => flow.database.merchant.findUnique({ where: { liveMerchantId: shop.merchant.id } });
      expect(await find()).toBeNull();
      const first = await shop.browser.get('/test/home');
      expect(first.status).toBe(200);
      const { id } = (await find()) ?? {};
      const entries = await flow.database.auditEntry.findMany({
        where: { action: 'merchant.created', merchantId: id ?? '' },
      });
      expect(entries).toMatchObject([
        {
          actorKind: 'user',
          actorName: shop.email,
          subjectId: id,
          requestId: first.headers['x-request-id'],
          address: expect.stringMatching(/^10\./),
        },
      ]);
      expect((await viewer.get('/test/home')).status).toBe(200);
    });
  });

  describe('The deletion of test data', () => {
    it('is refused to a developer', async () => {
      const email = 'developer@example.com';
      await owner.browser.post('/team/invitations', { email, role: 'developer' });
      const link = findLink(await running.mail.waitFor(email));
      const developer = running.browser();
      await developer.post(`${link}/accept`, { password: 'correct horse battery staple' });
      expect((await developer.get('/test/test-data')).status).toBe(200);
      expect((await developer.send('DELETE', '/test/test-data')).status).toBe(403);
    });

    it.each([
      ['GET', '/program', undefined],
      ['POST', '/program', { terms: { minimumPaidAmount: 2 }, base_version: 1 }],
      ['POST', '/program/simulate', { terms: {} }],
      ['POST', '/program/copy-live', undefined],
      ['POST', '/webhooks', { url: 'https://example.com/', event_types: ['reward.issue'] }],
    ])('answers 404 to a call that began before it: %s %s', async (method, path, body) => {
      const { merchant, browser } = await running.signUp();
      const side = await openTestSide(flow, merchant);
      let call: Promise<Answer> | undefined;
      await flow.database.$transaction(async (tx) => {
        // As `requestWipe` does. The call reads the former id, and waits for the rows that move to the new one.
        const data = { id: newMerchantId('test') };
        await tx.merchant.update({ where: { id: side.id }, data, select: { id: true } });
        await tx.wipe.create({ data: { merchantId: side.id, liveMerchantId: merchant.id } });
        await tx.$executeRaw`LOCK TABLE program_versions`;
        call = browser.send(method, `/test${path}`, body);
        // On another connection: a transaction caches pg_stat_activity from its first query.
        const isWaiting = () =>
          flow.database.$queryRaw<unknown[]>`
            SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND application_name = 'rewardhook-console'`;
        await waitFor(async () => (await isWaiting()).length > 0, { what: 'the call to wait' });
      });
      const answer = await call;
      expect([answer?.status, answer?.body.code]).toEqual([404, 'not_found']);
    });
  });
});

describe('The two sides of a merchant', () => {
  let live: Merchant;
  let side: Merchant;
  beforeAll(async () => {
    live = await flow.openMerchant('UTC');
    side = await openTestSide(flow, live);
  });

  const get = (path: string, key: string) => flow.call(path, undefined, { key, method: 'GET' });

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
