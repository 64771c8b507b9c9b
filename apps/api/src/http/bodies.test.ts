import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import express from 'express';
import type { ErrorRequestHandler } from 'express';
import { ApiError } from './api-error.ts';
import { openGate } from './gate.ts';
import type { Entry } from './gate.ts';
import { openBodyReader } from './json-body.ts';

describe('the gate', () => {
  const small = 100;
  const large = 65_537;

  /** Whether a promise is settled after the next iterations of the event loop. */
  async function isSettled(promise: Promise<unknown>): Promise<boolean> {
    let settled = false;
    promise.then(
      () => (settled = true),
      () => (settled = true),
    );
    for (let iteration = 0; iteration < 3; iteration += 1) await yieldToEventLoop();
    return settled;
  }

  it('Requests of a merchant get places in their order, and merchants alternate', async () => {
    const gate = openGate(1);
    const first = await gate.enter('a', small);
    const order: string[] = [];
    const enter = (merchantId: string, name: string) =>
      gate.enter(merchantId, small).then((entry) => {
        order.push(name);
        entry.end();
      });
    const waiting = [enter('a', 'a1'), enter('a', 'a2'), enter('b', 'b1'), enter('b', 'b2')];
    expect([gate.inProgress(), gate.waiting()]).toEqual([1, 4]);
    first.end();
    first.end();
    await Promise.all(waiting);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect([gate.inProgress(), gate.waiting()]).toEqual([0, 0]);
  });

  it('A request that waits for five seconds is refused with 503, and the next ones get their places', async () => {
    const gate = openGate(1);
    const entry = await gate.enter('a', small);
    const startedAt = performance.now();
    const refused = gate.enter('a', large);
    await expect(refused).rejects.toMatchObject({ code: 'service_unavailable', rejectionCause: 'overload' });
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
    entry.end();
    (await gate.enter('a', large)).end();
    expect([gate.inProgress(), gate.waiting()]).toEqual([0, 0]);
  });

  it('Of large bodies one is validated at a time, merchants alternate, and small ones do not wait', async () => {
    const gate = openGate(8);
    const first = await gate.enter('a', large);
    const ofA = gate.enter('a', large);
    const alsoOfA = gate.enter('a', large);
    const ofB = gate.enter('b', large);
    (await gate.enter('b', small)).end();
    expect(await isSettled(ofA)).toBe(false);
    first.validated();
    const second: Entry = await ofA;
    expect(await isSettled(ofB)).toBe(false);
    second.end();
    (await ofB).end();
    (await alsoOfA).end();
    first.end();
    expect(gate.inProgress()).toBe(0);
  });

  it('While many requests of a merchant wait, and the oldest too long, its next ones are refused before their bodies are read', async () => {
    const gate = openGate(1);
    const entry = await gate.enter('a', small);
    const late = performance.now() + 250;
    const waiting = Array.from({ length: 63 }, () => gate.enter('a', small));
    while (performance.now() < late) await yieldToEventLoop();
    expect(() => gate.check('a', small)).not.toThrow();
    waiting.push(gate.enter('a', small));
    expect(() => gate.check('a', small)).toThrow(ApiError);
    // Its large ones wait in another queue, and so do those of another merchant.
    expect(() => gate.check('a', large)).not.toThrow();
    expect(() => gate.check('b', small)).not.toThrow();
    entry.end();
    for (const next of waiting) (await next).end();
    expect(() => gate.check('a', small)).not.toThrow();
  });

  it('A burst of requests is not refused', async () => {
    const gate = openGate(1);
    const entry = await gate.enter('a', small);
    const waiting = Array.from({ length: 100 }, () => gate.enter('a', small));
    expect(() => gate.check('a', small)).not.toThrow();
    entry.end();
    for (const next of waiting) (await next).end();
  });

  it('Small requests of a merchant do not wait for its large ones', async () => {
    const gate = openGate(8);
    const first = await gate.enter('a', large);
    const next = gate.enter('a', large);
    (await gate.enter('a', small)).end();
    expect(await isSettled(next)).toBe(false);
    first.end();
    (await next).end();
  });

  it('Bytes that a body does not need, and those of a request that has ended, are released', () => {
    const gate = openGate(1);
    const owner = { merchantId: 'a', kind: 'secret' } as const;
    const mebibytes = (count: number) => count * 1_048_576;
    const held = Array.from({ length: 4 }, () => gate.reserve(owner, mebibytes(2)));
    expect(() => gate.reserve(owner, 1)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    held[0]?.reduceTo(mebibytes(1));
    held.push(gate.reserve(owner, mebibytes(1)));
    expect(gate.reserved()).toBe(mebibytes(8));
    for (const reservation of held) reservation.reduceTo(0);
    held[0]?.reduceTo(0);
    expect(gate.reserved()).toBe(0);
  });
});

describe('the body reader', () => {
  const errors: unknown[] = [];
  const read = openBodyReader(openGate(1));
  const app = express();
  app.use((_request, response, next) => {
    response.locals['owner'] = { merchantId: 'mer', kind: 'secret' };
    next();
  });
  app.post(
    '/',
    read(1_000, (sent, response) => void response.json({ body: sent.body as unknown })),
  );
  const keepError: ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error);
    response.status(400).end();
  };
  app.use(keepError);
  let server: Server;
  beforeAll(async () => {
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const send = (body: string | Buffer | ReadableStream, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: body as string,
      duplex: 'half',
    } as RequestInit);

  it.each<[string, string | Buffer, object, object]>([
    [
      'is not JSON',
      '{"card":"hunter2" oops',
      {},
      { body: 'must be valid JSON: syntax error at character 19' },
    ],
    ['is not UTF-8', Buffer.from('["hunter2 \xe9"]', 'latin1'), {}, { body: 'must be UTF-8 text' }],
    ['nests too deep', `["hunter2"${',['.repeat(40)}`, {}, { body: expect.stringContaining('32 levels') }],
    ['is empty', '', {}, { body: 'must not be empty' }],
    ['is blank', ' \r\n', {}, { body: 'must not be empty' }],
    ['is a byte order mark', '\ufeff', {}, { body: 'must not be empty' }],
    [
      'is not gzip',
      'hunter2',
      { 'content-encoding': 'gzip' },
      { body: expect.stringContaining('cannot be read') },
    ],
    [
      'is not deflate',
      'hunter2',
      { 'content-encoding': 'deflate' },
      { body: expect.stringContaining('cannot be read') },
    ],
    [
      'is not Brotli',
      'hunter2',
      { 'content-encoding': 'br' },
      { body: expect.stringContaining('cannot be read') },
    ],
    [
      'is cut gzip',
      gzipSync('["hunter2 hunter2"]').subarray(0, -9),
      { 'content-encoding': 'gzip' },
      { body: expect.stringContaining('cannot be read') },
    ],
    [
      'is zstd',
      'hunter2',
      { 'content-encoding': 'zstd' },
      { body: expect.stringContaining('must be identity') },
    ],
    [
      'is in UTF-16',
      '[]',
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'charset must be utf-8' },
    ],
    ['is text', 'hunter2', { 'content-type': 'text/plain' }, { 'content-type': 'must be application/json' }],
  ])(
    'The error of a body that %s names the problem, and has nothing of the body',
    async (_, body, headers, params) => {
      errors.length = 0;
      await send(body, headers as Record<string, string>);
      const [error] = errors as [ApiError];
      expect([error.code, error.params]).toEqual(['invalid_request', params]);
      expect([error.cause, 'body' in error]).toEqual([undefined, false]);
      expect(`${JSON.stringify(error)} ${error.stack}`).not.toContain('hunter2');
    },
  );

  it('A body beyond the limit is too large, announced or not, compressed or not', async () => {
    errors.length = 0;
    const long = JSON.stringify({ hunter2: 'x'.repeat(2_000) });
    await send(long);
    await send(new Blob([long]).stream());
    await send(gzipSync(long), { 'content-encoding': 'gzip' });
    await send(brotliCompressSync(long), { 'content-encoding': 'br' });
    for (const error of errors as ApiError[])
      expect([error.code, error.cause, 'body' in error]).toEqual(['payload_too_large', undefined, false]);
    expect(errors).toHaveLength(4);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['GZIP', gzipSync],
  ])('A body in %s is parsed', async (encoding, compress) => {
    const answer = await send(compress('{"a":["상품"]}'), { 'content-encoding': encoding });
    expect(await answer.json()).toEqual({ body: { a: ['상품'] } });
  });

  /** 32 MiB in a few bytes, with a window of 2^bits bytes. */
  const bombOf = (bits: number) =>
    brotliCompressSync(Buffer.alloc(32 * 1_024 * 1_024, ' '), {
      params: { [constants.BROTLI_PARAM_LGWIN]: bits, [constants.BROTLI_PARAM_QUALITY]: 5 },
    });

  it('Many small bodies that are very large when they are decompressed take the memory of a few', async () => {
    errors.length = 0;
    const bomb = bombOf(22);
    expect(bomb.length).toBeLessThan(1_000);
    const before = process.memoryUsage.rss();
    let most = 0;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2);
    await Promise.all(Array.from({ length: 100 }, () => send(bomb, { 'content-encoding': 'br' })));
    clearInterval(timer);
    expect(new Set((errors as ApiError[]).map(({ code }) => code))).toEqual(new Set(['payload_too_large']));
    expect(most - before).toBeLessThan(100 * 1_048_576);
  });

  it.each(Array.from({ length: 15 }, (_none, index) => 10 + index))(
    'A body in Brotli with a window of %i bits is read up to 22 bits',
    async (bits) => {
      errors.length = 0;
      await send(bombOf(bits), { 'content-encoding': 'br' });
      const [error] = errors as [ApiError];
      expect([error.code, error.params]).toEqual(
        bits <= 22
          ? ['payload_too_large', undefined]
          : ['invalid_request', { body: 'must have a Brotli window of at most 4 MiB (lgwin 22)' }],
      );
    },
  );

  it.each(['application/json', 'application/json; charset=utf8', 'application/problem+json;charset="UTF-8"'])(
    'A body of the type %s is parsed',
    async (type) => {
      const answer = await send('\ufeff{"a":["상품"]}', { 'content-type': type });
      expect(await answer.json()).toEqual({ body: { a: ['상품'] } });
    },
  );
});
