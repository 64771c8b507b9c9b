import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import express from 'express';
import type { ErrorRequestHandler } from 'express';
import { ApiError } from './api-error.ts';
import { openGate } from './gate.ts';
import { openBodyReader } from './json-body.ts';

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
