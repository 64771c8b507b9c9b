import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import {
  addWebhook,
  createMerchant,
  openAdmin,
  removeStackData,
  startStack,
} from '@rewardhook/testing/servers';
import type { StackMerchant } from '@rewardhook/local-stack';
import type { Admin, Stack } from '@rewardhook/testing/servers';
import type { ReceivedWebhook, Receiver } from '@rewardhook/testing';
import { Pool } from 'pg';
import { readRows } from './harness/read-rows.ts';
import { bootPath, callApi, callWithRetries, linkPath, syncPath } from './harness/call-api.ts';
import { openCleanup } from './harness/cleanup.ts';
import { userHashOf } from './harness/open-merchant.ts';
import { startOtlpSink } from './harness/otlp-sink.ts';
import type { OtlpSink } from './harness/otlp-sink.ts';
import { openStackAdmin, runStackAdmin } from './harness/stack-admin.ts';
import { documentedMetrics, exportedMetrics } from './operations/documented-metrics.ts';

// Every process for real, from built code: their logs are files, they export their spans to a collector, keys are cached, and
// workers know only what is in PostgreSQL.
jest.setTimeout(240_000);

const cleanup = openCleanup();
const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-all-processes-'));
let sink: OtlpSink;
let stack: Stack;
beforeAll(async () => {
  cleanup.add(() => removeStackData(dataDir));
  sink = await startOtlpSink();
  cleanup.add(() => sink.close());
  stack = await startStack({
    dataDir,
    ports: 'auto',
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
  });
  cleanup.add(() => stack.stop());
});
afterAll(() => cleanup.run());

interface Sent {
  type: string;
  data: { role: string; member_id: string; order: { order_id: string }; reward: { amount: number } };
}
const parse = ({ rawBody }: ReceivedWebhook) => JSON.parse(rawBody.toString()) as Sent;

describe('An order of a linked member', () => {
  const first = buildOrder({ member_id: 'minsu' });
  const orders = [first, ...Array.from({ length: 20 }, () => buildOrder())];
  let admin: Admin;
  let receiver: Receiver;
  let shop: StackMerchant;
  beforeAll(async () => {
    // A process, as operators run it.
    admin = openAdmin(stack.environment);
    shop = await createMerchant(admin, 'Flow shop');
    receiver = await startReceiver({ signingSecret: shop.signingSecret });
  });
  afterAll(() => receiver?.close());

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
      (webhook) => `${webhook.path} ${parse(webhook).data.role} ${parse(webhook).data.member_id}`,
    );
    expect(rewards.toSorted()).toEqual([
      '/crm referee minsu',
      '/crm referrer jisu',
      '/loyalty referee minsu',
      '/loyalty referrer jisu',
    ]);
    expect(received.every((webhook) => parse(webhook).data.order.order_id === first.order_id)).toBe(true);
    expect(new Set(received.map(({ deliveryId }) => deliveryId)).size).toBe(4);
  });

  it('is stored and evaluated, as are the other orders', async () => {
    const rows = await readRows<{ order_id: string }>(
      stack.databaseUrl,
      'SELECT order_id FROM orders WHERE merchant_id = $1',
      [shop.merchantId],
    );
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

const services = ['api', 'sync', 'reward-evaluation', 'webhook-delivery'];
const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';

describe('One request to the API', () => {
  let receiver: Receiver;
  let merchantId: string;
  let secretKey: string;

  beforeAll(async () => {
    const admin = openStackAdmin(stack.environment);
    ({ merchantId, secretKey } = await createMerchant(admin, 'Tracing shop'));
    receiver = await startReceiver();
    await addWebhook(admin, merchantId, `${receiver.url}/hooks`);
    for (const referee of ['first', 'second', 'third'])
      await admin('member', 'link', '--merchant', merchantId, '--referrer', 'jisu', '--referee', referee);
  });
  afterAll(() => receiver?.close());

  function post(memberId: string, headers: Record<string, string>): Promise<Response> {
    return fetch(stack.apiUrl + syncPath, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': secretKey, ...headers },
      body: JSON.stringify({ orders: [buildOrder({ member_id: memberId })] }),
    });
  }

  /** The lines of a process that mention a text. */
  function lines(service: string, text: string): Record<string, unknown>[] {
    return readFileSync(join(dataDir, 'logs', `${service}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.includes(text))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('is found by its id in the logs of four processes and at the receiver, and is one trace', async () => {
    const requestId = 'shop-import-2026-11-23.1';
    const answer = await post('first', {
      'x-request-id': requestId,
      traceparent: `00-${traceId}-${clientSpan}-01`,
    });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([202, requestId]);

    const { headers } = await receiver.waitFor(
      (sent) => sent.headers['x-service-request-id'] === requestId,
      30_000,
    );
    expect(headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    await waitFor(() => services.every((service) => lines(service, requestId).length > 0), {
      deadlineMs: 10_000,
      what: 'the lines of four processes',
    });
    expect(lines('api', requestId)).toEqual([
      expect.objectContaining({
        level: 'info',
        message: 'request',
        method: 'POST',
        route: '/api/open/orders/sync',
        status: 202,
        requestId,
        merchantId,
        client: '127.0.0.1',
        bytes: 29,
        durationMs: expect.any(Number),
      }),
    ]);
    expect(lines('sync', requestId)).toMatchObject([{ message: 'orders stored', requestIds: [requestId] }]);
    expect(lines('reward-evaluation', requestId)).toMatchObject([
      { message: 'orders evaluated', requestIds: [requestId] },
    ]);

    const trace = () => sink.spans.filter((span) => span.traceId === traceId);
    // One order, two rewards: two webhooks.
    await waitFor(() => trace().length >= 6, { deadlineMs: 15_000, what: 'the spans' });
    const byName = new Map(trace().map((span) => [span.name, span]));
    const parents = trace().map(({ service, name, parentSpanId }) => [
      service,
      name,
      trace().find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId,
    ]);
    expect(parents.map((parts) => parts.join(' < ')).toSorted()).toEqual(
      [
        `rewardhook-api < POST /api/open/orders/sync < ${clientSpan}`,
        'rewardhook-api < enqueue sync < POST /api/open/orders/sync',
        'rewardhook-sync < store orders < enqueue sync',
        'rewardhook-reward-evaluation < evaluate orders < store orders',
        'rewardhook-webhook-delivery < send webhook < evaluate orders',
        'rewardhook-webhook-delivery < send webhook < evaluate orders',
      ].toSorted(),
    );
    expect(byName.get('send webhook')?.attributes).toMatchObject({
      'rewardhook.request_id': requestId,
      'http.response.status_code': 204,
    });
    process.stdout.write(
      `one trace with ${trace().length} spans: ${parents.map(([, name]) => name).join(', ')}\n`,
    );
  });

  it('gets an id and a trace of its own when it has none, and keeps neither an invalid id nor an invalid traceparent', async () => {
    const answers = await Promise.all([
      post('second', {}),
      post('third', { 'x-request-id': 'not valid', traceparent: '00-0-0-01' }),
    ]);
    const ids = answers.map((answer) => answer.headers.get('x-request-id') ?? '');
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      await receiver.waitFor((sent) => sent.headers['x-service-request-id'] === id, 30_000);
    }
    const tracesOf = (id: string) =>
      new Set(
        sink.spans
          .filter(({ attributes }) => attributes['rewardhook.request_id'] === id)
          .map((span) => span.traceId),
      );
    await waitFor(() => ids.every((id) => tracesOf(id).size === 1), {
      deadlineMs: 15_000,
      what: 'one trace each',
    });
    expect([...tracesOf(ids[0] ?? '')]).not.toEqual([...tracesOf(ids[1] ?? '')]);
  });

  it('does not belong to the trace of a browser, whose key is public', async () => {
    const ofPage = '11111111111111111111111111111111';
    const answer = await fetch(`${stack.apiUrl}/api/open/members/boot/`, {
      method: 'POST',
      headers: { traceparent: `00-${ofPage}-${clientSpan}-01`, 'x-service-key': 'svc_pk_unknown' },
      body: '{}',
    });
    const requestId = answer.headers.get('x-request-id');
    const mine = () =>
      sink.spans.filter(({ attributes }) => attributes['rewardhook.request_id'] === requestId);
    await waitFor(() => mine().length === 1, { deadlineMs: 15_000, what: 'the span of boot' });
    expect(mine()[0]?.parentSpanId || undefined).toBeUndefined();
    expect(sink.spans.some((span) => span.traceId === ofPage)).toBe(false);
  });

  it('is logged without values of its path and query', async () => {
    const secret = 'customer-4711';
    await fetch(`${stack.apiUrl}/r/${secret}?token=${secret}`, { redirect: 'manual' });
    await fetch(`${stack.apiUrl}/api/open/orders/${secret}/explain?token=${secret}`, {
      headers: { 'x-service-key': secretKey },
    });
    await fetch(`${stack.consoleUrl}/api/console/orders/${secret}?token=${secret}`);
    await waitFor(() => lines('console', '/api/console/').length > 0, {
      what: 'the access line of the console',
    });
    await waitFor(() => lines('api', '/explain').length > 0, { what: 'the access line of the API' });
    for (const service of ['api', 'console']) expect(lines(service, secret)).toEqual([]);
    expect(lines('api', '/r/{code}')).toMatchObject([{ route: '/r/{code}', client: '127.0.0.0/24' }]);
  });
});

const contact = 'ops@example.com, 02-555-0100';
const reason = 'sends the orders of another shop';

describe('A merchant that the operator has paused', () => {
  let sql: Pool;
  let admin: Admin;
  let shop: StackMerchant;
  let other: StackMerchant;
  let receiver: Receiver;
  let webhookId: string;
  beforeAll(async () => {
    sql = new Pool({ connectionString: stack.databaseUrl });
    admin = openStackAdmin(stack.environment);
    other = await createMerchant(admin, 'Another shop');
  });
  afterAll(() => sql?.end());
  beforeEach(async () => {
    shop = await createMerchant(admin, 'Paused shop');
    receiver = await startReceiver({ signingSecret: shop.signingSecret });
    webhookId = await addWebhook(admin, shop.merchantId, `${receiver.url}/hook`);
  });
  afterEach(() => receiver.close());

  const post = (path: string, body: unknown, key = shop.secretKey) =>
    callApi(stack.apiUrl, path, body, { key });
  const read = (path: string) =>
    callApi(stack.apiUrl, path, undefined, { key: shop.secretKey, method: 'GET' });
  const pause = (...more: string[]) =>
    admin(
      'merchant',
      'pause',
      '--merchant',
      shop.merchantId,
      '--reason',
      reason,
      '--contact',
      contact,
      ...more,
    );
  const resume = (...more: string[]) =>
    admin<{ pauseReason: string | null }>('merchant', 'resume', '--merchant', shop.merchantId, ...more);
  const testKey = async () => {
    const words = ['key', 'create', '--merchant', shop.merchantId, '--test', '--kind', 'secret'];
    return (await admin<{ key: string }>(...words)).key;
  };
  const link = (referee: string) =>
    post(linkPath, { referrer_member_id: 'jisu', referee_member_id: referee });
  const accepts = (key = shop.secretKey) =>
    waitFor(async () => (await post(syncPath, { orders: [buildOrder()] }, key)).status === 202, {
      what: 'the orders to be accepted',
    });
  const refuses = (key = shop.secretKey) =>
    waitFor(async () => (await post(syncPath, 'no JSON', key)).status === 503, {
      what: 'the pause to be known',
    });
  /** Links a member, and sends an order of theirs that earns both a reward. */
  const reward = async (referee: string) => {
    expect((await link(referee)).status).toBe(201);
    expect((await post(syncPath, { orders: [buildOrder({ member_id: referee })] })).status).toBe(202);
  };
  const deliveries = async () => {
    const { rows } = await sql.query<{ id: string; state: string; attempts: number }>(
      'SELECT id, state, attempts_made AS attempts FROM deliveries WHERE merchant_id = $1 ORDER BY id',
      [shop.merchantId],
    );
    return rows;
  };
  /** How many requests the API has refused for this reason. */
  const refusals = async (why: string) => {
    const metrics = await (await fetch(`${stack.healthUrls['api']}/metrics`)).text();
    const series = `rewardhook_requests_refused_total{reason="${why}"} `;
    const line = metrics.split('\n').find((each) => each.startsWith(series));
    return line === undefined ? 0 : Number(line.slice(series.length));
  };
  const doctor = async () => {
    const { exitCode, document } = await runStackAdmin(stack.environment, ['doctor']);
    return { exitCode, ...(document as DoctorDocument) };
  };
  interface DoctorDocument {
    clean: boolean;
    promises: { oldest: { merchantId: string; holder: string; number: number }[] };
    merchantsPaused: { merchantId: string; pauseReason: string }[];
  }

  it('gets 503 with a contact and Retry-After before its body is read, on both sides, and can still read', async () => {
    const ofTestSide = await testKey();
    await accepts();
    await accepts(ofTestSide);
    const unavailable = await refusals('unavailable');
    await pause('--only', 'ingest');
    await refuses();
    await refuses(ofTestSide);

    const boot = { user_id: 'ann', user_hash: userHashOf({ identitySecret: shop.identitySecret }, 'ann') };
    for (const refused of [
      await post(syncPath, { orders: [buildOrder()] }),
      await post(linkPath, { nothing: 'valid' }),
      await post(bootPath, boot, shop.publicKey),
    ]) {
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'service_unavailable',
        '300',
      ]);
      expect(refused.body.message).toContain(`paused by the operator: ${contact}`);
      expect(refused.body.message).not.toContain(reason);
    }
    expect((await read('/api/open/orders/')).status).toBe(200);
    expect((await read('/api/open/events/')).status).toBe(200);
    expect((await post(syncPath, { orders: [buildOrder()] }, 'svc_sk_unknown')).status).toBe(401);
    expect((await post(syncPath, { orders: [buildOrder()] }, other.secretKey)).status).toBe(202);
    expect(await refusals('paused')).toBeGreaterThan(0);
    expect(await refusals('unavailable')).toBe(unavailable);

    await resume();
    await accepts();
    await accepts(ofTestSide);
  });

  it('is sent nothing while deliveries are paused: what was accepted is evaluated and waits, and is sent once afterwards', async () => {
    const areDelivered = async () => (await deliveries()).every(({ state }) => state === 'delivered');
    await reward('ann');
    await waitFor(async () => (await deliveries()).length === 2 && (await areDelivered()), {
      what: 'the deliveries before the pause',
    });
    await pause('--only', 'delivery');
    await reward('bob');
    await waitFor(async () => (await deliveries()).length === 4, { what: 'the deliveries' });
    // A webhook that is added now waits too.
    await addWebhook(admin, shop.merchantId, `${receiver.url}/second`);
    await reward('carl');
    await waitFor(async () => (await deliveries()).length === 8, { what: 'the deliveries of both webhooks' });

    const waiting = (await deliveries()).find(({ state }) => state === 'pending');
    const words = ['--merchant', shop.merchantId];
    const retried = await admin('delivery', 'retry', ...words, '--delivery', String(waiting?.id));
    expect(retried).toMatchObject({ due: true, nextAttemptAt: null });
    const tested = await runStackAdmin(stack.environment, [
      'webhook',
      'test',
      ...words,
      '--webhook',
      webhookId,
    ]);
    expect([tested.exitCode, tested.stderr]).toEqual([1, expect.stringContaining(contact)]);
    const test = await post(`/api/open/webhooks/${webhookId}/test/`, {});
    expect([test.status, test.headers.get('retry-after')]).toEqual([503, '300']);
    const delivered = ['--states', 'delivered', '--from', '2026-01-01', '--per-minute', '60000'];
    await admin('replay', 'create', ...words, ...delivered);
    await waitFor(async () => (await deliveries()).every(({ state }) => state === 'pending'), {
      deadlineMs: 30_000,
      what: 'the replay',
    });

    // An hour later it is counted and shown, and no fault.
    await sql.query(
      "UPDATE deliveries SET created_at = created_at - interval '1 hour' WHERE merchant_id = $1",
      [shop.merchantId],
    );
    const held = expect.objectContaining({
      merchantId: shop.merchantId,
      holder: 'operator_paused',
      number: 8,
    });
    // On a busy machine a check may not finish in time, and the next one does.
    const report = await waitFor(
      async () => {
        const { exitCode, ...found } = await doctor();
        return exitCode === 0 && found.promises.oldest.some(({ number }) => number === 8) ? found : undefined;
      },
      { deadlineMs: 60_000, everyMs: 500, what: 'a clean doctor that has counted the promises' },
    );
    expect(report).toMatchObject({
      clean: true,
      promises: { oldest: expect.arrayContaining([held]) },
      merchantsPaused: [{ merchantId: shop.merchantId, pauseReason: reason }],
    });
    const list = await admin<{ merchants: object[] }>('merchant', 'list', '--name', 'Paused');
    expect(list.merchants).toContainEqual(
      expect.objectContaining({ id: shop.merchantId, paused: ['delivery'] }),
    );
    expect(receiver.received).toHaveLength(2);
    expect((await deliveries()).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(2);

    expect(await resume()).toMatchObject({ pauseReason: null, pauseContact: null, deliveryPausedAt: null });
    await waitFor(areDelivered, { deadlineMs: 30_000, what: 'the deliveries' });
    expect((await deliveries()).reduce((sum, { attempts }) => sum + attempts, 0)).toBe(10);
    expect(receiver.received).toHaveLength(10);
  });

  it('is paused with a reason and a contact, by the id of its live side, and the audit has both commands', async () => {
    const run = (...words: string[]) =>
      runStackAdmin(stack.environment, ['merchant', ...words, '--merchant', shop.merchantId]);
    expect((await run('pause', '--reason', reason)).exitCode).toBe(2);
    const withContact = ['--reason', reason, '--contact', contact];
    expect((await run('pause', ...withContact, '--test')).stderr).toContain('both sides');
    expect((await run('pause', ...withContact, '--only', 'nothing')).exitCode).toBe(2);
    await pause('--only', 'delivery');
    const both = (await admin('merchant', 'show', '--merchant', shop.merchantId, '--test')) as {
      merchant: object;
    };
    expect(both.merchant).toMatchObject({ pauseReason: reason, deliveryPausedAt: expect.any(String) });
    await pause();
    await resume('--only', 'ingest');
    expect((await admin('merchant', 'show', '--merchant', shop.merchantId)) as object).toMatchObject({
      merchant: { ingestPausedAt: null, deliveryPausedAt: expect.any(String), pauseContact: contact },
    });
    await resume();
    const { entries } = await admin<{ entries: { action: string; details: object }[] }>(
      ...['audit', 'list', '--merchant', shop.merchantId],
    );
    expect(entries.filter(({ action }) => /paused|resumed/.test(action)).map(({ action }) => action)).toEqual(
      ['merchant.resumed', 'merchant.resumed', 'merchant.paused', 'merchant.paused'],
    );
    expect(entries).toContainEqual(
      expect.objectContaining({ details: { parts: ['delivery'], reason, contact } }),
    );
  });
});
