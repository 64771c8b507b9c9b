import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addWebhook, createMerchant, removeStackData, startStack } from '@rewardhook/testing/servers';
import { buildOrder, startReceiver, waitFor } from '@rewardhook/testing';
import type { Receiver } from '@rewardhook/testing';
import type { Stack } from '@rewardhook/testing/servers';
import { syncPath } from '../harness/call-api.ts';
import { openStackAdmin } from '../harness/stack-admin.ts';
import { startOtlpSink } from './otlp-sink.ts';
import type { OtlpSink } from './otlp-sink.ts';

// Every process for real, from built code: their logs are files, and they export their spans to a collector.
jest.setTimeout(240_000);

const services = ['api', 'sync', 'reward-evaluation', 'webhook-delivery'];
const traceId = '0af7651916cd43dd8448eb211c80319c';
const clientSpan = 'b7ad6b7169203331';

describe('One request to the API', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rewardhook-tracing-'));
  let stack: Stack;
  let sink: OtlpSink;
  let receiver: Receiver;
  let merchantId: string;
  let secretKey: string;

  beforeAll(async () => {
    sink = await startOtlpSink();
    stack = await startStack({
      dataDir,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_BSP_SCHEDULE_DELAY: '200' },
    });
    const admin = openStackAdmin(stack.environment);
    ({ merchantId, secretKey } = await createMerchant(admin, 'Tracing shop'));
    receiver = await startReceiver();
    await addWebhook(admin, merchantId, `${receiver.url}/hooks`);
    for (const referee of ['first', 'second', 'third'])
      await admin('member', 'link', '--merchant', merchantId, '--referrer', 'jisu', '--referee', referee);
  });
  afterAll(async () => {
    await receiver?.close();
    await stack?.stop();
    await sink?.close();
    removeStackData(dataDir);
  });

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
