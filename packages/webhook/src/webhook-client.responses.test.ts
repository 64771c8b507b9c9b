import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { scaled, waitFor } from '@rewardhook/testing';
import type { HostileBehaviour, HostileReceiver } from '@rewardhook/testing/hostile-receiver';
import type { AttemptResult, AttemptResponse } from './attempt-result.ts';
import { openFixtures, listen } from './fixtures/open-fixtures.ts';
import { expectError } from './fixtures/expect-error.ts';

const open = openFixtures();
afterEach(open.closeAll);

const kibibyte = 1024;
const request = { headers: { 'content-type': 'application/json' }, body: Buffer.from('{}') };

async function openReceiver(...behaviours: [HostileBehaviour, ...HostileBehaviour[]]) {
  const receiver = await open.hostile({});
  receiver.script('/hook', ...behaviours);
  const client = open.client({ exchangeTimeoutMs: 2000 });
  const attempt = (): Promise<AttemptResult> => client.attempt({ ...request, url: `${receiver.url}/hook` });
  return { receiver, attempt };
}

const hungUp = (receiver: HostileReceiver) =>
  waitFor(() => receiver.openConnections() === 0, { what: 'the end of the connection', everyMs: 5 });

describe('An endless response', () => {
  it.each(['body', 'chunks'] as const)(
    'is cut after 64 KiB of its %s and still has its status',
    async (part) => {
      const { receiver, attempt } = await openReceiver({ does: 'flood', part });
      const outcome = (await attempt()) as AttemptResponse;
      expect(outcome).toMatchObject({ result: 'response', status: 200, truncated: true });
      expect(outcome.responseBody).toHaveLength(16 * kibibyte);
      await hungUp(receiver);
      expect(receiver.bytesSent()).toBeLessThan(12 * kibibyte * kibibyte);
    },
  );

  it.each(['gzip', 'deflate', 'br'] as const)(
    'takes no more memory than a small page when it is a %s bomb',
    async (coding) => {
      const { attempt } = await openReceiver({ does: 'bomb', coding, mebibytes: 32 });
      // The first attempt also allocates the decompressor.
      await attempt();
      const before = process.memoryUsage();
      const outcome = (await attempt()) as AttemptResponse;
      expect(outcome).toMatchObject({ result: 'response', status: 200, truncated: true });
      expect(Buffer.byteLength(outcome.responseBody)).toBeLessThanOrEqual(16 * kibibyte);
      expect(outcome.timings.totalMs).toBeLessThan(scaled(2000));
      expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(4 * kibibyte * kibibyte);
    },
  );
});

describe('A redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'of status %i is returned and not followed, to itself or elsewhere',
    async (status) => {
      const trap = await open.hostile({});
      for (const location of [
        '/hook',
        `${trap.url}/hook`,
        '//127.0.0.1/',
        'file:///etc/passwd',
        '\u00ff not a url',
      ]) {
        const { receiver, attempt } = await openReceiver({ does: 'answer', status, headers: { location } });
        expect(await attempt()).toMatchObject({ result: 'response', status });
        expect(receiver.requests).toHaveLength(1);
      }
      expect(trap.connections()).toBe(0);
    },
  );
});

describe('A response with Retry-After', () => {
  const inAMinute = new Date(Date.now() + 60_000).toUTCString();
  it.each<[number, string, number | undefined]>([
    [429, '120', 120],
    [503, '7', 7],
    [429, '9'.repeat(300), 86_400],
    [503, 'Fri, 31 Dec 2123 23:59:59 GMT', 86_400],
    [503, 'Sun, 06 Nov 1994 08:49:37 GMT', undefined],
    [429, '-120', undefined],
    [429, 'soon', undefined],
    [429, '1e9', undefined],
    [429, '', undefined],
  ])('of status %i and "%s" returns the seconds to wait', async (status, retryAfter, seconds) => {
    const { attempt } = await openReceiver({
      does: 'answer',
      status,
      headers: { 'retry-after': retryAfter },
    });
    const outcome = (await attempt()) as AttemptResponse;
    expect([outcome.status, outcome.retryAfterSeconds]).toEqual([status, seconds]);
  });

  it('as a date returns the seconds until then', async () => {
    const { attempt } = await openReceiver({
      does: 'answer',
      status: 503,
      headers: { 'retry-after': inAMinute },
    });
    const { retryAfterSeconds = 0 } = (await attempt()) as AttemptResponse;
    expect(retryAfterSeconds).toBeGreaterThan(30);
    expect(retryAfterSeconds).toBeLessThanOrEqual(60);
  });

  it('is not required for 410, which is returned as it is', async () => {
    const { attempt } = await openReceiver({ does: 'answer', status: 410 });
    expect(await attempt()).toMatchObject({ result: 'response', status: 410 });
  });
});

describe('A connection that is kept open', () => {
  it('is not used again when the receiver closes it after the response', async () => {
    const { receiver, attempt } = await openReceiver({ does: 'answer', hangUp: true });
    for (let n = 1; n <= 3; n++) {
      expect(await attempt()).toMatchObject({ status: 200, connectionReused: false });
      await hungUp(receiver);
    }
    expect(receiver.connections()).toBe(3);
  });

  it('does not use a response that was sent ahead of its request', async () => {
    const slipped =
      'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged';
    const { receiver, attempt } = await openReceiver(
      { does: 'send', bytes: slipped },
      { does: 'answer', status: 500 },
    );
    expect(await attempt()).toMatchObject({ status: 200, responseBody: 'ok' });
    expect(await attempt()).toMatchObject({ status: 500, connectionReused: false });
    expect(receiver.connections()).toBe(2);
  });

  it('returns a bounded number and length of headers', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, n) => [`x-${n}`, 'y'.repeat(n === 0 ? 2000 : 10)]),
    );
    const { attempt } = await openReceiver({ does: 'answer', headers: many });
    const { responseHeaders } = (await attempt()) as AttemptResponse;
    expect(Object.keys(responseHeaders)).toHaveLength(40);
    expect(responseHeaders['x-0']).toHaveLength(500);
  });
});

describe('The body of a response', () => {
  /** Answers every request with exactly these bytes, and returns the result of one attempt. */
  async function answerWith(
    body: Buffer | string,
    extra: Record<string, string> = {},
  ): Promise<AttemptResult> {
    const { port } = await open.http((_request, response) => response.writeHead(200, extra).end(body));
    return open.client().attempt({ url: `http://127.0.0.1:${port}/`, ...request });
  }

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is decompressed from %s', async (encoding, compress) => {
    const outcome = await answerWith(compress(Buffer.from('{"granted":true}')), {
      'content-encoding': encoding,
    });
    expect(outcome).toMatchObject({ status: 200, responseBody: '{"granted":true}', truncated: false });
  });

  it('is kept up to 16 KiB and read up to 64 KiB on a connection that stays', async () => {
    const outcome = await answerWith('x'.repeat(60 * kibibyte));
    expect(outcome).toMatchObject({ status: 200, truncated: true, responseBody: 'x'.repeat(16 * kibibyte) });
  });

  it.each(['keep-alive', 'close'])(
    'is cut at 64 KiB without losing the status (connection: %s)',
    async (connection) => {
      const outcome = await answerWith('x'.repeat(66 * kibibyte), { connection });
      expect(outcome).toMatchObject({ result: 'response', status: 200, truncated: true });
    },
  );

  it('takes no more memory than a small page when it is a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * kibibyte * kibibyte));
    const before = process.memoryUsage().rss;
    const outcome = await answerWith(bomb.subarray(0, 60 * kibibyte), { 'content-encoding': 'gzip' });
    expect(outcome).toMatchObject({ result: 'response', status: 200, truncated: true });
    expect(Buffer.byteLength((outcome as { responseBody: string }).responseBody)).toBeLessThanOrEqual(
      16 * kibibyte,
    );
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * kibibyte * kibibyte);
  });

  it.each([
    ['broken gzip', 'gzip', 'not gzip at all'],
    ['an unknown coding', 'zstd', 'zzzz'],
    ['stacked codings', 'gzip, gzip', 'zzzz'],
    ['a name from the prototype', 'constructor', 'zzzz'],
  ])('is empty when it is sent in %s, and the status is kept', async (_what, encoding, body) => {
    const outcome = await answerWith(body, { 'content-encoding': encoding });
    expect(outcome).toMatchObject({ result: 'response', status: 200, responseBody: '', truncated: true });
  });

  it('is converted to text that PostgreSQL can store', async () => {
    const outcome = await answerWith(Buffer.from([0x61, 0x00, 0xed, 0xa0, 0x80, 0xff, 0x62]));
    const { responseBody } = outcome as { responseBody: string };
    expect(responseBody).toMatch(/^a\ufffd+b$/);
  });
});

describe('An attempt that fails', () => {
  it('is a connect error when no server listens', async () => {
    const { port, close } = await listen(createServer());
    await close();
    const outcome = await open.client().attempt({ url: `http://127.0.0.1:${port}/`, ...request });
    const { timings } = expectError(outcome, 'connect', /ECONNREFUSED/);
    expect(timings.totalMs).toBeGreaterThan(0);
  });

  it('is a connect error for every attempt that waits for a connection', async () => {
    const { port, close } = await listen(createServer());
    await close();
    const client = open.client({ maxSocketsPerOrigin: 2 });
    const url = `http://127.0.0.1:${port}/`;
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => client.attempt({ url, ...request })));
    for (const outcome of outcomes) expectError(outcome, 'connect', /ECONNREFUSED/);
  });

  it('is a dns error when the name does not resolve', async () => {
    const resolve = async (): Promise<string[]> => {
      throw Object.assign(new Error('queryA ENOTFOUND gone.example.com'), { code: 'ENOTFOUND' });
    };
    const outcome = await open.client({ resolve }).attempt({ url: 'https://gone.example.com/', ...request });
    expectError(outcome, 'dns', /ENOTFOUND/);
  });

  it('is a dns error when the name server does not answer', async () => {
    const client = open.client({ resolve: () => new Promise(() => undefined), connectTimeoutMs: 50 });
    const outcome = await client.attempt({ url: 'https://slow.example.com/', ...request });
    expectError(outcome, 'dns', /name lookup within 50 ms/);
  });

  it('is a timeout when it has no connection in time', async () => {
    const { port } = await open.tcp(() => undefined);
    const client = open.client({ exchangeTimeoutMs: 50 });
    const outcome = await client.attempt({ url: `https://127.0.0.1:${port}/`, ...request });
    expectError(outcome, 'timeout', /^no connection within 50 ms/);
  });

  it('is aborted by its signal before it begins and while it waits', async () => {
    const requests: Socket[] = [];
    const server = await open.tcp((socket) => socket.once('data', () => requests.push(socket)));
    const client = open.client();
    const url = `http://127.0.0.1:${server.port}/`;
    expectError(await client.attempt({ url, ...request, signal: AbortSignal.abort() }), 'aborted', /before/);
    expect(server.connections()).toBe(0);

    const abort = new AbortController();
    const underWay = client.attempt({ url, ...request, signal: abort.signal });
    abort.abort();
    expectError(await underWay, 'aborted', /aborted/);
  });

  it.each([
    ['a value with a line break', { 'x-a': 'b\r\nx-service-event: forged' }],
    ['a name with a space', { 'x a': 'b' }],
    ['the framing of the message', { 'transfer-encoding': 'chunked' }],
    ['another host', { host: 'other.example.com' }],
  ])('is an http error each time when a header has %s', async (_what, bad) => {
    const server = await open.http((_request, response) => response.end('ok'));
    const client = open.client({ maxSocketsPerOrigin: 2 });
    const url = `http://127.0.0.1:${server.port}/`;
    for (let n = 0; n < 5; n++) {
      expectError(
        await client.attempt({ url, ...request, headers: bad as Record<string, string> }),
        'http',
        /cannot send/,
      );
    }
    expect(await client.attempt({ url, ...request })).toMatchObject({ status: 200 });
  });
});
