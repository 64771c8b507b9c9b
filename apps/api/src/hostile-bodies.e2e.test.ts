import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { buildOrder, scaled } from '@rewardhook/testing';
import { sendRaw } from '../../../tests/harness/raw-http.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import type { Answer } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

const seed = 20_261_121;

describe('the API under hostile bodies', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    merchant = await flow.openMerchant();
  });
  afterAll(() => flow.close());
  afterEach(async () => {
    // Nothing is queued or stored, and the server answers the next request.
    expect(await flow.queues.ever('sync')).toBe(0);
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

  describe('wrong encodings', () => {
    const korean = JSON.stringify({ orders: [buildOrder({ member_id: '민수é' })] });
    it.each<[string, () => Uint8Array]>([
      ['latin1', () => Buffer.from(korean.replace('민수', ''), 'latin1')],
      ['UTF-16 LE', () => Buffer.from(korean, 'utf16le')],
      ['UTF-16 BE', () => Buffer.from(korean, 'utf16le').swap16()],
      ['UTF-16 with its mark', () => Buffer.from(`\ufeff${korean}`, 'utf16le')],
      [
        'an overlong form',
        () => Buffer.concat([Buffer.from('{"orders":["'), Buffer.from([0xc0, 0xaf]), Buffer.from('"]}')]),
      ],
      [
        'an encoded surrogate',
        () =>
          Buffer.concat([Buffer.from('{"orders":["'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"]}')]),
      ],
      ['a cut character', () => Buffer.from(korean).subarray(0, Buffer.from(korean).indexOf('민') + 1)],
    ])('A body in %s is refused', async (_name, bytes) => {
      const answer = await send(bytes());
      expectRefusal(answer, [400]);
    });

    it.each([
      ['half a surrogate pair', '"\\ud800"', 'order_id'],
      ['NUL', '"a\\u0000b"', 'order_id'],
      ['NUL in a name', '"a\\u0000b"', 'member_id'],
    ])('A field with %s, written as an escape, is refused', async (_name, text, field) => {
      const body = valid().replace(new RegExp(`"${field}":"[^"]*"`), `"${field}":${text}`);
      const answer = await send(body);
      expectRefusal(answer, [400]);
      expect(Object.keys(answer.body.params ?? {})).toEqual([`orders[0].${field}`]);
    });

    it.each(['1e400', '-1e999', '9007199254740993', '1E20', '0.1', '-0.5'])(
      'The amount %s is refused',
      async (number) => {
        const body = valid().replace(/"order_amount":\d+/, `"order_amount":${number}`);
        const answer = await send(body);
        expectRefusal(answer, [400]);
        expect(Object.keys(answer.body.params ?? {})).toEqual(['orders[0].order_amount']);
      },
    );
  });

  describe('compression', () => {
    it('A gzip bomb is refused by its decompressed size', async () => {
      const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024, 0x20), { level: 9 });
      expect(bomb.length).toBeLessThan(300_000);
      const answer = await send(bomb, { 'content-encoding': 'gzip' });
      expectRefusal(answer, [413]);
      expect(answer.ms).toBeLessThan(scaled(5_000));
    });

    it('Bombs in brotli and deflate are refused', async () => {
      const zeros = Buffer.alloc(20 * 1024 * 1024, 0x20);
      expectRefusal(await send(deflateSync(zeros), { 'content-encoding': 'deflate' }), [413]);
      expectRefusal(
        await send(brotliCompressSync(zeros.subarray(0, 11e6)), { 'content-encoding': 'br' }),
        [413],
      );
    });

    it.each(['gzip', 'deflate', 'br'])('A body that is not %s is refused', async (name) => {
      expectRefusal(await send(randomBytes(500), { 'content-encoding': name }), [400]);
      expectRefusal(await send(gzipSync(valid()).subarray(0, 60), { 'content-encoding': name }), [400]);
    });

    it('An unknown content encoding is refused', async () => {
      const answer = await send(valid(), { 'content-encoding': 'zstd' });
      expectRefusal(answer, [400]);
      expect(answer.body.params).toEqual({ body: 'content-encoding must be identity, gzip, deflate or br' });
    });
  });

  describe('size and depth', () => {
    const limit = 2_097_152;
    const padded = (bytes: number) => {
      const text = JSON.stringify({ orders: [], padding: '' });
      return text.replace('"padding":""', `"padding":"${'x'.repeat(bytes - text.length)}"`);
    };

    it('A body of 2 MiB is read, and one more byte is refused', async () => {
      const fits = await send(padded(limit));
      expect([fits.status, fits.body.params]).toEqual([
        400,
        { orders: expect.stringContaining('at least 1') },
      ]);
      const tooLong = await send(padded(limit + 1));
      expectRefusal(tooLong, [413]);
      expect(tooLong.body.code).toBe('payload_too_large');
    });

    it('A chunked body of 2 MiB and one byte is refused', async () => {
      const text = padded(limit + 1);
      const head = `POST ${syncPath} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nX-Service-Key: ${merchant.secretKey}\r\nTransfer-Encoding: chunked\r\n\r\n`;
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

    it('A response names at most 1,000 invalid fields, and other requests are served meanwhile', async () => {
      const bad = `{"orders":[${Array.from({ length: 1_000 }, () => '{}').join(',')}]}`;
      const [answer, other] = await Promise.all([send(bad), fetch(`${flow.url}/health/live`)]);
      expectRefusal(answer, [400]);
      expect(Object.keys(answer.body.params ?? {}).length).toBeLessThanOrEqual(1_001);
      expect(other.status).toBe(200);
    });

    it('A million short orders are refused before they are validated', async () => {
      const answer = await send(`{"orders":[${'0,'.repeat(1_000_000)}0]}`);
      expectRefusal(answer, [400]);
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
