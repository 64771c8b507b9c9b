import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { buildOrder, scaled, waitFor } from '@rewardhook/testing';
import { syncPath, callWithRetries } from '../../../tests/harness/call-api.ts';
import type { Answer } from '../../../tests/harness/call-api.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';
import { sendRaw } from '../../../tests/harness/raw-http.ts';
import { startApi } from '../../../tests/harness/start-api.ts';
import type { RunningApi } from '../../../tests/harness/start-api.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import { startProcess } from '../../../tests/harness/start-process.ts';
import type { AppProcess } from '../../../tests/harness/start-process.ts';

// Each request of a body that does not arrive waits for the deadline of the API, 10 s.
jest.setTimeout(60_000);

let flow: Flow;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
afterAll(() => flow.close());

describe('the API under hostile bodies', () => {
  const seed = 20_261_121;

  let merchant: Merchant;
  let queued: number;
  beforeAll(async () => {
    merchant = await flow.openMerchant();
    queued = await flow.queues.ever('sync');
  });
  afterEach(async () => {
    // Nothing is queued or stored, and the server answers the next request.
    expect(await flow.queues.ever('sync')).toBe(queued);
    expect(await flow.database.order.count()).toBe(0);
    expect((await fetch(`${flow.url}/health/ready`)).status).toBe(200);
  });

  const paths = [syncPath, '/api/open/members/link/', '/api/open/members/boot/'];
  const keyOf = (path: string) => (path.includes('boot') ? merchant.publicKey : merchant.secretKey);
  const send = (body: unknown, headers = {}, path = syncPath) =>
    flow.call(path, body, { key: keyOf(path), headers });
  const valid = () => JSON.stringify({ orders: [buildOrder()] });

  function expectRefusal({ status, body, headers }: Answer, allowed = [400, 413]): void {
    expect(allowed).toContain(status);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(['invalid_request', 'payload_too_large']).toContain(body.code);
    expect(body.message).toMatch(/./);
    expect(body.request_id).toBe(headers.get('x-request-id'));
    const fields = ['code', 'message', 'params', 'order_ids', 'request_id'];
    expect(Object.keys(body).filter((name) => !fields.includes(name))).toEqual([]);
    if (body.code === 'invalid_request') expect(Object.keys(body.params ?? {}).length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toMatch(/node_modules|\.ts:\d|at Object/);
  }

  describe('fuzzed', () => {
    it.each(paths)('JSON that is not a valid request is refused: %s', async (path) => {
      await fc.assert(
        fc.asyncProperty(fc.json({ maxDepth: 4 }), async (text) => expectRefusal(await send(text, {}, path))),
        { numRuns: 40, seed },
      );
    });

    it('Random bytes are refused', async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) =>
          expectRefusal(await send(bytes)),
        ),
        { numRuns: 60, seed },
      );
    });

    it('Random bytes are refused with any content encoding', async () => {
      const coding = fc.constantFrom(
        'gzip',
        'deflate',
        'br',
        'zstd',
        'compress',
        'identity, gzip',
        'x'.repeat(99),
      );
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), coding, async (bytes, name) =>
          expectRefusal(await send(bytes, { 'content-encoding': name })),
        ),
        { numRuns: 40, seed },
      );
    });

    it('A body with a few changed bytes is refused, unless the change makes it valid', async () => {
      const mutation = fc.record({
        at: fc.nat(),
        cut: fc.nat({ max: 3 }),
        put: fc.uint8Array({ maxLength: 3 }),
      });
      const text = Buffer.from(JSON.stringify({ orders: [buildOrder({ order_amount: -1 })] }));
      await fc.assert(
        fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (mutations) => {
          let bytes = text;
          for (const { at, cut, put } of mutations) {
            const start = at % bytes.length;
            bytes = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + cut)]);
          }
          // A mutation may remove the only error; an accepted request would then be found in the queue.
          const repaired = /"order_amount":[^-]/.test(bytes.toString('latin1'));
          if (!repaired) expectRefusal(await send(bytes));
        }),
        { numRuns: 80, seed },
      );
    });
  });

  describe('size and depth', () => {
    const limit = 2_097_152;
    const padded = (bytes: number) => {
      const text = JSON.stringify({ orders: [], padding: '' });
      return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
    };

    it('A chunked body of 2 MiB and one byte is refused', async () => {
      const text = padded(limit + 1);
      const head = [
        `POST ${syncPath} HTTP/1.1`,
        'Host: a',
        'Content-Type: application/json',
        `X-Service-Key: ${merchant.secretKey}`,
        'Transfer-Encoding: chunked',
        '\r\n',
      ].join('\r\n');
      const { status, body } = await sendRaw(
        flow.url,
        `${head}${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
      );
      expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([413, 'payload_too_large']);
    });

    it.each([
      ['50,000 arrays', '['.repeat(50_000) + ']'.repeat(50_000)],
      ['50,000 objects', '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000)],
      ['5 million arrays', '['.repeat(5_000_000) + ']'.repeat(5_000_000)],
      ['50,000 arrays that do not end', '['.repeat(50_000)],
    ])('%s are refused, wherever they are in the body', async (_name, nest) => {
      for (const body of [
        nest,
        `{"orders":${nest}}`,
        `{"orders":[${nest}]}`,
        valid().replace('{"orders"', `{"unknown":${nest},"orders"`),
        valid().replace('"items":', `"unknown":${nest},"items":`),
      ]) {
        const answer = await send(body);
        expectRefusal(answer);
        expect(answer.ms).toBeLessThan(scaled(3_000));
      }
      for (const path of paths.slice(1)) expectRefusal(await send(`{"user_id":${nest}}`, {}, path));
    });
  });

  describe('prototype pollution', () => {
    it.each([
      '{"__proto__":{"orders":[{}]}}',
      '{"constructor":{"prototype":{"orders":[]}}}',
      '{"orders":[{"__proto__":{"order_id":"x","member_id":"y"}}]}',
      '{"orders":{"__proto__":[1],"length":1}}',
      '{"orders":{"length":1,"0":{}}}',
    ])('The body %s is refused and does not change Object.prototype', async (body) => {
      expectRefusal(await send(body), [400]);
      const empty: Record<string, unknown> = {};
      expect([empty['orders'], empty['order_id'], Object.keys(Object.prototype)]).toEqual([
        undefined,
        undefined,
        [],
      ]);
    });

    it('A field named __proto__ does not supply missing fields of an order', async () => {
      const { order_id, ...rest } = buildOrder();
      const body = `{"orders":[{"__proto__":{"order_id":"${order_id}"},${JSON.stringify(rest).slice(1)}]}`;
      const answer = await send(body);
      expectRefusal(answer, [400]);
      expect(answer.body.params).toEqual({ 'orders[0].order_id': 'is required' });
    });
  });
});

describe('A body that does not arrive within 10 seconds', () => {
  let api: RunningApi;
  let merchant: Merchant;
  beforeAll(async () => {
    api = await startApi(flow.environment);
    merchant = await flow.openMerchant();
  });
  afterAll(async () => {
    await api.close();
  });

  const bytesInFlight = async () => {
    const shown = await api.metrics.registry.getSingleMetricAsString('rewardhook_body_bytes_in_flight');
    return Number(shown.trimEnd().split(' ').at(-1));
  };
  const body = Buffer.from('{"orders":[]}');

  it.each([
    ['a length', [`Content-Length: ${body.length + 1_000}`], body],
    ['chunks', ['Transfer-Encoding: chunked'], Buffer.from(`d\r\n${body.toString()}\r\n`)],
    ['compression', ['Content-Length: 1000', 'Content-Encoding: gzip'], gzipSync(body).subarray(0, -1)],
  ])(
    'with %s is answered 408, its connection is closed and its bytes are released',
    async (_name, lines, part) => {
      const head = [
        `POST ${syncPath} HTTP/1.1`,
        'Host: api',
        `X-Service-Key: ${merchant.secretKey}`,
        'Content-Type: application/json',
        ...lines,
      ];
      const startedAt = performance.now();
      const answering = sendRaw(api.url, Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), part]), {
        withinMs: 30_000,
      });
      await waitFor(async () => (await bytesInFlight()) > 0, { everyMs: 5, what: 'bytes in flight' });
      const { status, headers, body: text } = await answering;
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(9_900);
      expect(status).toBe(408);
      expect(headers).toMatch(/^connection: close\r?$/im);
      expect(JSON.parse(text)).toEqual({
        code: 'request_timeout',
        message: 'The body did not arrive within 10 seconds. Send it again.',
        request_id: expect.any(String),
      });
      await waitFor(async () => (await bytesInFlight()) === 0, { everyMs: 5, what: 'no bytes in flight' });
    },
  );
});

describe('bodies that take much memory when they are parsed', () => {
  let merchant: Merchant;
  let other: Merchant;
  let api: AppProcess;
  beforeAll(async () => {
    [merchant, other] = [await flow.openMerchant(), await flow.openMerchant()];
    // The heap of a container with 512 MB, of which Node takes half.
    api = await startProcess('api', flow.environment, { NODE_OPTIONS: '--max-old-space-size=256' });
  });
  afterAll(async () => {
    await api.close();
  });

  const send = (body: unknown, { secretKey } = merchant) =>
    callWithRetries(api.url, syncPath, body, { key: secretKey });
  const orders = (count: number) => ({ orders: Array.from({ length: count }, () => buildOrder()) });

  it.each([
    ['more than 200,000 values', 690_000, { body: 'must not have more than 200000 values' }],
    ['nearly 200,000 empty objects', 99_000, { orders: expect.stringContaining('at most 1000 orders') }],
  ])('Bodies of %s are refused, and orders of others are accepted meanwhile', async (_, count, params) => {
    const body = `{"orders":[${'{},'.repeat(count)}{}]}`;
    const done = new AbortController();
    const sendAll = async () => {
      const answers = [];
      for (let round = 0; round < 10; round += 1)
        answers.push(...(await Promise.all([send(body), send(body), send(body)])));
      return answers;
    };
    const refused = sendAll().finally(() => done.abort());
    let accepted = 0;
    while (!done.signal.aborted) {
      expect((await send(orders(1), other)).status).toBe(202);
      accepted += 1;
    }
    for (const answer of await refused) expect([answer.status, answer.body.params]).toEqual([400, params]);
    expect(accepted).toBeGreaterThan(3);
    expect((await send(orders(1_000))).status).toBe(202);
    expect(api.isRunning()).toBe(true);
    expect(api.peakMegabytes()).toBeLessThan(450);
  });
});
