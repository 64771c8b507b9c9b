import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { scaled, waitFor } from '@rewardhook/testing';
import { selfSigned } from '@rewardhook/testing/hostile-receiver';
import type { HostileBehaviour, HostileOptions } from '@rewardhook/testing/hostile-receiver';
import type { AttemptResult, AttemptError } from './attempt-result.ts';
import { expectError } from './fixtures/expect-error.ts';
import { openFixtures } from './fixtures/open-fixtures.ts';
import type { WebhookClientOptions } from './webhook-client.ts';

const open = openFixtures();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json', 'X-Service-Attempt': '3' };
const body = Buffer.from('{"id":"evt_1"}');
const bodyTimeoutMs = 150;

/** What a raw server does with the request number `request` (from 1) on the connection number `connection`. */
type Answer = (socket: Socket, numbers: { connection: number; request: number }) => void;

/** A raw TCP server that reads requests by their framing, and a client for it. */
async function openServer(answer: Answer, options: Partial<WebhookClientOptions> = {}) {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = await open.tcp((socket) => {
    const connection = sockets.push(socket);
    let request = 0;
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString();
      while (received.includes(body.toString())) {
        const end = received.indexOf(body.toString()) + body.length;
        requests.push(received.slice(0, end));
        received = received.slice(end);
        answer(socket, { connection, request: ++request });
      }
    });
  });
  const client = open.client({ bodyTimeoutMs, exchangeTimeoutMs: 5_000, ...options });
  const url = `http://127.0.0.1:${server.port}/hook`;
  const attempt = (signal?: AbortSignal) => client.attempt({ url, headers, body, signal });
  const openSockets = () => sockets.filter(({ destroyed }) => !destroyed).length;
  return { client, attempt, requests, connections: server.connections, openSockets };
}

const write =
  (...parts: (string | Buffer)[]): Answer =>
  (socket) =>
    socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const noContent = 'HTTP/1.1 204 No Content\r\n\r\n';
const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** Writes a flood until the client closes the connection. */
const flood =
  (head: string, piece: string): Answer =>
  (socket) => {
    const more = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.write(head);
    socket.on('drain', more);
    more();
  };

const writeAndReset =
  (text: string): Answer =>
  (socket) =>
    void socket.write(text, () => setImmediate(() => socket.resetAndDestroy()));

const writeAndClose =
  (text: string): Answer =>
  (socket) =>
    socket.end(text);

const drip =
  (head: string): Answer =>
  (socket) => {
    socket.write(head);
    const dripping = setInterval(() => socket.write('x'), 10);
    socket.once('close', () => clearInterval(dripping));
  };

describe('A response that does not end as it should', () => {
  it.each<[string, number, RegExp, Answer]>([
    ['a 204 with two bytes of body', 204, /Parse Error/, write(noContent, 'ok')],
    [
      'a 204 with a Content-Length and its body',
      204,
      /Parse Error/,
      write(noContent.replace('\r\n\r\n', '\r\ncontent-length: 2\r\n\r\nok')),
    ],
    ['a 304 with a body', 304, /Parse Error/, write('HTTP/1.1 304 Not Modified\r\n\r\nok')],
    ['a Content-Length that is too small', 200, /Parse Error/, write(ok, ' and more')],
    [
      'a Content-Length of 0 and a body',
      200,
      /Parse Error/,
      write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nok'),
    ],
    ['a second response behind the first', 200, /more bytes/, write(ok, ok)],
    ['bytes after the last chunk', 200, /Parse Error/, write(chunked, '2\r\nok\r\n0\r\n\r\n', 'more')],
    [
      'a Content-Length that is too large, and a hang',
      200,
      /within 150 ms/,
      write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
    ],
    [
      'a Content-Length that is too large, and a close',
      200,
      /aborted/,
      writeAndClose('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
    ],
    [
      'a Content-Length that is too large, and a reset',
      200,
      /./,
      writeAndReset('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'),
    ],
    [
      'a Content-Length and no body at all',
      201,
      /within 150 ms/,
      write('HTTP/1.1 201 Created\r\ncontent-length: 9\r\n\r\n'),
    ],
    ['a missing last chunk, and a hang', 200, /within 150 ms/, write(chunked, '2\r\nok\r\n')],
    ['a missing last chunk, and a close', 200, /aborted/, writeAndClose(`${chunked}2\r\nok\r\n`)],
    ['a missing last chunk, and a reset', 200, /./, writeAndReset(`${chunked}2\r\nok\r\n`)],
    ['a chunk that ends early, and a close', 200, /aborted/, writeAndClose(`${chunked}9\r\nok`)],
    ['a chunk whose length is no number', 200, /Parse Error/, write(chunked, 'zz\r\n')],
    ['a reset after the headers', 200, /./, writeAndReset('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n')],
    ['a close after the headers', 200, /aborted/, writeAndClose(chunked)],
    ['an endless body', 200, /longer than 65536 bytes/, flood('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(16_384))],
    ['endless chunks', 200, /longer than 65536 bytes/, flood(chunked, `4000\r\n${'x'.repeat(16_384)}\r\n`)],
    ['a body that drips', 200, /within 150 ms/, drip('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')],
    [
      'a body until the close that never comes',
      202,
      /within 150 ms/,
      write('HTTP/1.1 202 Accepted\r\n\r\nok'),
    ],
  ])(
    'keeps its status with a warning and closes the connection: %s',
    async (_what, status, warning, answer) => {
      const server = await openServer(answer);
      const result = await server.attempt();
      expect(result).toMatchObject({ result: 'response', status, warning: expect.stringMatching(warning) });
      expect(result.timings.totalMs).toBeLessThan(scaled(bodyTimeoutMs + 1_000));
      await waitFor(() => server.openSockets() === 0);
      expect(await server.attempt()).toMatchObject({ status, connectionReused: false });
      expect([server.connections(), server.requests.length]).toEqual([2, 2]);
    },
  );

  it.each([410, 429, 500])(
    'fixes a status of %i too, with the Retry-After and what was received of the body',
    async (status) => {
      const head = `HTTP/1.1 ${status} No\r\nretry-after: 40\r\ncontent-length: 1000\r\n`;
      const plain = await openServer(write(head, '\r\nslow down'));
      expect(await plain.attempt()).toMatchObject({
        status,
        retryAfterSeconds: 40,
        responseBody: 'slow down',
        truncated: true,
      });
      const zipped = gzipSync('slow down, '.repeat(99)).subarray(0, -9);
      const packed = await openServer(write(head, 'content-encoding: gzip\r\n\r\n', zipped));
      expect(await packed.attempt()).toMatchObject({
        status,
        responseBody: expect.stringMatching(/^slow down/),
      });
    },
  );

  it('is what an attempt has that is aborted, or whose client is closed, after the head', async () => {
    const server = await openServer(write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'), {
      bodyTimeoutMs: 5_000,
    });
    const abort = new AbortController();
    const aborted = server.attempt(abort.signal);
    await waitFor(() => server.requests.length === 1);
    // The head has been read when a later exchange on the same loop has ended.
    const other = await openServer(write(ok));
    await other.attempt();
    abort.abort();
    expect(await aborted).toMatchObject({
      result: 'response',
      status: 200,
      warning: 'the attempt was aborted',
    });

    const closed = server.attempt();
    await waitFor(() => server.requests.length === 2);
    await other.attempt();
    await server.client.close();
    expect(await closed).toMatchObject({
      result: 'response',
      status: 200,
      warning: 'the webhook client was closed',
    });
    await waitFor(() => server.openSockets() === 0);
  });

  it('ends at the time limit of the exchange when that is earlier than the one of the body', async () => {
    const server = await openServer(write(chunked), { bodyTimeoutMs: 5_000, exchangeTimeoutMs: 200 });
    expect(await server.attempt()).toMatchObject({
      status: 200,
      warning: 'no complete answer within 200 ms',
    });
  });
});

describe('An unusual response that is correct', () => {
  it.each<[string, number, string, Answer]>([
    ['a 204', 204, '', write(noContent)],
    ['a 100 before it', 200, 'ok', write('HTTP/1.1 100 Continue\r\n\r\n', ok)],
    ['a 102 before it', 200, 'ok', write('HTTP/1.1 102 Processing\r\n\r\n', ok)],
    ['a 103 before it', 200, 'ok', write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', ok)],
    [
      'all three before it',
      200,
      'ok',
      write('HTTP/1.1 100 C\r\n\r\nHTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 E\r\n\r\n', ok),
    ],
    [
      '32 KiB of headers',
      200,
      'ok',
      write(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-big: ${'y'.repeat(32_768 - 49)}\r\n\r\nok`),
    ],
    [
      'many headers',
      200,
      'ok',
      write(`HTTP/1.1 200 OK\r\n${'x-one: y\r\n'.repeat(1_500)}content-length: 2\r\n\r\nok`),
    ],
    ['trailers', 200, 'ok', write(chunked, '2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n')],
    ['chunks of one byte with extensions', 200, 'ok', write(chunked, '1;a=b\r\no\r\n1\r\nk\r\n0\r\n\r\n')],
    ['no reason', 200, 'ok', write(ok.replace('200 OK', '200'))],
  ])('has no warning and keeps the connection: %s', async (_what, status, text, answer) => {
    const server = await openServer(answer);
    const first = await server.attempt();
    expect(first).toMatchObject({ result: 'response', status, responseBody: text });
    expect(first).not.toHaveProperty('warning');
    expect(await server.attempt()).toMatchObject({
      status,
      connectionReused: true,
      retriedOnNewConnection: false,
    });
    expect(server.connections()).toBe(1);
  });

  it.each<[string, Answer]>([
    ['a body that ends with the connection', writeAndClose('HTTP/1.1 200 OK\r\n\r\nok')],
    ['HTTP/1.0', writeAndClose('HTTP/1.0 200 OK\r\n\r\nok')],
    ['Connection: close', write(ok.replace('OK\r\n', 'OK\r\nconnection: close\r\n'))],
    ['a close right after it', writeAndClose(ok)],
  ])('has no warning and is followed by a new connection: %s', async (_what, answer) => {
    const server = await openServer(answer);
    const first = await server.attempt();
    expect(first).toMatchObject({ result: 'response', status: 200, responseBody: 'ok' });
    expect(first).not.toHaveProperty('warning');
    await waitFor(() => server.openSockets() === 0);
    expect(await server.attempt()).toMatchObject({ status: 200, connectionReused: false });
  });

  it('has a 100 only, and then nothing: it is a timeout', async () => {
    const server = await openServer(write('HTTP/1.1 100 Continue\r\n\r\n'), { exchangeTimeoutMs: 200 });
    expectError(await server.attempt(), 'timeout', /^no answer/);
  });
});

describe('A connection that was used before', () => {
  const answeredOn = (result: AttemptResult) => [
    result.result === 'response' && result.status,
    result.connectionReused,
    result.retriedOnNewConnection,
  ];

  it.each<[string, (socket: Socket) => void]>([
    ['resets', (socket) => socket.resetAndDestroy()],
    ['closes', (socket) => socket.end()],
    ['sends bytes that begin no response', (socket) => socket.write('ok')],
  ])(
    'is replaced once, with the same request, when it %s before the first byte of a response',
    async (_what, dies) => {
      const server = await openServer((socket, { request }) =>
        request === 1 ? socket.write(ok) : dies(socket),
      );
      const results = [];
      for (let n = 0; n < 60; n++) results.push(await server.attempt());
      expect(results.every((result) => result.result === 'response' && result.status === 200)).toBe(true);
      expect(answeredOn(results[0] as AttemptResult)).toEqual([200, false, false]);
      expect(answeredOn(results[1] as AttemptResult)).toEqual([200, false, true]);
      const retried = results.filter(({ retriedOnNewConnection }) => retriedOnNewConnection).length;
      expect(retried).toBeGreaterThan(0);
      expect(server.requests.length).toBe(60 + retried);
      expect(new Set(server.requests).size).toBe(1);
    },
  );

  it('is not replaced a second time', async () => {
    const server = await openServer((socket, { connection, request }) => {
      if (connection === 1 && request === 1) socket.write(ok);
      else socket.resetAndDestroy();
    });
    await server.attempt();
    const result = await server.attempt();
    expectError(result, 'reset', /./);
    expect(result).toMatchObject({ retriedOnNewConnection: true, requestHeaders: headers });
    expect([server.connections(), server.requests.length]).toEqual([2, 3]);
  });

  it('is not replaced when it is new, nor when part of a response has come, nor when the time is over', async () => {
    const fresh = await openServer((socket) => socket.resetAndDestroy());
    expectError(await fresh.attempt(), 'reset', /./);
    expect(fresh.requests).toHaveLength(1);

    const silent = await openServer((socket, { request }) => request === 1 && socket.write(ok), {
      exchangeTimeoutMs: 200,
    });
    await silent.attempt();
    const late = await silent.attempt();
    expectError(late, 'timeout', /^no answer/);
    expect(late).toMatchObject({ connectionReused: true, retriedOnNewConnection: false });
    expect(silent.requests).toHaveLength(2);
  });

  it('counts the time of both requests against one limit', async () => {
    const server = await openServer(
      (socket, { connection, request }) => {
        if (connection === 1)
          return request === 1 ? socket.write(ok) : setTimeout(() => socket.resetAndDestroy(), 150);
      },
      { exchangeTimeoutMs: 300 },
    );
    await server.attempt();
    const result = await server.attempt();
    expectError(result, 'timeout', /^no answer within 300 ms/);
    expect(result.retriedOnNewConnection).toBe(true);
    expect(result.timings.totalMs).toBeLessThan(scaled(1_000));
  });

  it('is closed when bytes come while it is idle', async () => {
    const server = await openServer((socket, { request }) => {
      socket.write(ok);
      if (request === 1) setTimeout(() => socket.write(ok.replace('200', '500')), 30);
    });
    await server.attempt();
    await waitFor(() => server.openSockets() === 0);
    expect(await server.attempt()).toMatchObject({ status: 200, connectionReused: false });
  });
});

const deadlineMs = 150;
const mebibyte = 1_048_576;

/** One attempt against a receiver of this kind. Its connection must be closed afterwards, whatever the result. */
async function attemptAgainst(
  hostile: HostileOptions,
  options: Partial<WebhookClientOptions> = {},
  { sent = body, scheme = '' } = {},
): Promise<AttemptResult> {
  const receiver = await open.hostile(hostile);
  const client = open.client({ exchangeTimeoutMs: deadlineMs, ...options });
  const memory = process.memoryUsage().rss;
  const url = `${scheme ? receiver.url.replace(/^\w+/, scheme) : receiver.url}/hook`;
  const outcome = await client.attempt({ url, headers, body: sent });
  expect(outcome.timings.totalMs).toBeLessThan(scaled(deadlineMs + 1000));
  // A response may leave its connection open for the next attempt; after a failure the client closes it.
  if (outcome.result === 'response') await client.close();
  receiver.readOn();
  await waitFor(() => receiver.openConnections() === 0, { what: 'the end of the connection', everyMs: 5 });
  expect(receiver.connections()).toBeLessThanOrEqual(1);
  expect(receiver.requests.length).toBeLessThanOrEqual(1);
  // Bytes in the buffers of the kernel count as sent.
  expect(receiver.bytesSent()).toBeLessThan(12 * mebibyte);
  expect(process.memoryUsage().rss - memory).toBeLessThan(64 * mebibyte);
  return outcome;
}

const say = (bytes: string | Uint8Array): HostileBehaviour => ({ does: 'send', bytes });

describe('A receiver that hangs', () => {
  it('is a timeout when it accepts the connection and never reads', async () => {
    const outcome = await attemptAgainst({ greet: () => ({ does: 'hang' }) });
    expectError(outcome, 'timeout', /^no answer within 150 ms/);
  });

  it('is a timeout when it never reads and the body is larger than all buffers', async () => {
    const outcome = await attemptAgainst(
      { greet: () => ({ does: 'hang' }) },
      {},
      { sent: Buffer.alloc(16 * mebibyte, ' ') },
    );
    expectError(outcome, 'timeout', /^no answer/);
  });

  it.each<[string, RegExp, HostileBehaviour]>([
    ['after the head of the request', /^no answer/, { does: 'hang', at: 'head' }],
    ['after the request', /^no answer/, { does: 'hang', at: 'request' }],
    ['in the status line', /^no answer/, { does: 'hang', at: 'status' }],
    ['in the headers', /^no answer/, { does: 'hang', at: 'headers' }],
    ['in headers that drip', /^no answer/, { does: 'drip', part: 'headers', everyMs: 10 }],
    ['before a late answer', /^no answer/, { does: 'answer', afterMs: 10_000 }],
  ])('is a timeout %s', async (_when, message, behaviour) => {
    const error = expectError(await attemptAgainst({ behave: () => behaviour }), 'timeout', message);
    expect(error.timings.totalMs).toBeGreaterThanOrEqual(deadlineMs - 5);
  });

  it('is a timeout when it answers after the deadline, and a success when it answers late', async () => {
    expectError(
      await attemptAgainst({ greet: () => ({ does: 'wait', ms: 10_000 }) }),
      'timeout',
      /^no answer/,
    );
    const late = await attemptAgainst({
      greet: () => ({ does: 'wait', ms: 20 }),
      behave: () => ({ does: 'answer', afterMs: 20 }),
    });
    expect(late).toMatchObject({ status: 200 });
    expect(late.timings.totalMs).toBeGreaterThanOrEqual(38);
  });

  it('is a timeout when the TLS handshake does not complete', async () => {
    const outcome = await attemptAgainst(
      { greet: () => ({ does: 'hang' }) },
      { connectTimeoutMs: 50 },
      { scheme: 'https' },
    );
    expectError(outcome, 'timeout', /TLS handshake within 50 ms/);
  });
});

describe('A receiver that breaks the connection', () => {
  it.each<[string, HostileOptions]>([
    ['when it resets at once', { greet: () => ({ does: 'reset' }) }],
    ['when it closes at once', { greet: () => ({ does: 'close' }) }],
    ...(['close', 'reset'] as const).flatMap((does) =>
      (['head', 'request', 'status', 'headers'] as const).map((at): [string, HostileOptions] => [
        `when it ${does}s at its ${at}`,
        { behave: () => ({ does, at }) },
      ]),
    ),
  ])('is a reset %s', async (_when, hostile) => {
    expectError(await attemptAgainst(hostile), 'reset', /./);
  });
});

describe('A receiver that sends invalid HTTP', () => {
  it.each<[string, string | Uint8Array]>([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['random bytes', Uint8Array.of(0xff, 0xfe, 0x00, 0x01, 0x0d, 0x0a)],
    ['an unknown version', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['a status in words', 'HTTP/1.1 fine OK\r\n\r\n'],
    ['a status of six digits', 'HTTP/1.1 200200 OK\r\n\r\n'],
    ['another protocol', 'ICY 200 OK\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a huge header', `HTTP/1.1 200 OK\r\nx-big: ${'y'.repeat(40_000)}\r\n\r\n`],
    ['too many headers', `HTTP/1.1 200 OK\r\n${`x-one: ${'y'.repeat(40)}\r\n`.repeat(1000)}\r\n`],
    ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('is an http error when it answers %s', async (_what, bytes) => {
    expectError(await attemptAgainst({ behave: () => say(bytes) }), 'http', /./);
  });

  it.each(['headers', 'informational'] as const)('is an http error when its %s never end', async (part) => {
    expectError(await attemptAgainst({ behave: () => ({ does: 'flood', part }) }), 'http', /./);
  });
});

describe('A receiver with invalid TLS', () => {
  const expired = selfSigned({ validDays: [-3, -1] });
  const future = selfSigned({ validDays: [1, 3] });
  const elsewhere = selfSigned({ names: ['shop.example.com'] });
  it.each<[string, RegExp, HostileOptions, string[]]>([
    ['its certificate is self-signed', /self-signed/, { tls: selfSigned() }, []],
    ['its certificate has expired', /expired/, { tls: expired }, [expired.cert]],
    ['its certificate is not valid yet', /not yet valid/, { tls: future }, [future.cert]],
    ['its certificate names another host', /altnames/, { tls: elsewhere }, [elsewhere.cert]],
    [
      'it speaks plain HTTP',
      /./,
      { greet: () => ({ does: 'send', bytes: 'HTTP/1.1 400 Bad Request\r\n\r\n' }) },
      [],
    ],
    ['it closes in the handshake', /./, { greet: () => ({ does: 'close' }) }, []],
  ])('is a tls error when %s', async (_what, message, hostile, ca) => {
    const outcome = await attemptAgainst(hostile, { ca, exchangeTimeoutMs: 2000 }, { scheme: 'https' });
    expectError(outcome, 'tls', message);
  });

  it('is an error of the handshake or of the connection when it resets at once', async () => {
    const outcome = await attemptAgainst({ greet: () => ({ does: 'reset' }) }, {}, { scheme: 'https' });
    expect(['tls', 'reset']).toContain((outcome as AttemptError).errorClass);
  });

  it('is reached when its certificate authority is trusted', async () => {
    const tls = selfSigned();
    const outcome = await attemptAgainst(
      { tls, behave: () => ({ does: 'answer', body: 'ok' }) },
      { ca: [tls.cert], exchangeTimeoutMs: 2000 },
    );
    expect(outcome).toMatchObject({
      status: 200,
      responseBody: 'ok',
      timings: { tlsMs: expect.any(Number) },
    });
  });
});
