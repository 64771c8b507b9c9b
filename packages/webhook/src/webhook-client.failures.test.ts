import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { expectError } from './fixtures/expect-error.ts';
import { listen } from './fixtures/listen.ts';
import { opened } from './fixtures/opened.ts';
import type { WebhookClientOptions } from './webhook-client.ts';

const open = opened();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json' };
const body = Buffer.from('{}');
const head = 'HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n';

/** One attempt against a server that does with its socket what it likes, once the request has begun. */
async function against(
  onRequest: (socket: Socket) => void,
  options: Partial<WebhookClientOptions> = {},
): Promise<AttemptOutcome> {
  const { port } = await open.tcp((socket) => socket.once('data', () => onRequest(socket)));
  return open
    .client({ exchangeTimeoutMs: 200, ...options })
    .attempt({ url: `http://127.0.0.1:${port}/`, headers, body });
}

describe('an attempt that fails', () => {
  it('is a connect error when nobody listens', async () => {
    const { port, close } = await listen(createServer());
    await close();
    const outcome = await open.client().attempt({ url: `http://127.0.0.1:${port}/`, headers, body });
    const { timings } = expectError(outcome, 'connect', /ECONNREFUSED/);
    expect(timings.totalMs).toBeGreaterThan(0);
  });

  it('is a connect error for all of many that wait for few connections', async () => {
    const { port, close } = await listen(createServer());
    await close();
    const client = open.client({ maxSocketsPerOrigin: 2 });
    const url = `http://127.0.0.1:${port}/`;
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => client.attempt({ url, headers, body })),
    );
    for (const outcome of outcomes) expectError(outcome, 'connect', /ECONNREFUSED/);
  });

  it('is a dns error when the name does not resolve', async () => {
    const resolve = async (): Promise<string[]> => {
      throw Object.assign(new Error('queryA ENOTFOUND gone.example.com'), { code: 'ENOTFOUND' });
    };
    const outcome = await open
      .client({ resolve })
      .attempt({ url: 'https://gone.example.com/', headers, body });
    expectError(outcome, 'dns', /ENOTFOUND/);
  });

  it('is a dns error when the name server is silent', async () => {
    const client = open.client({ resolve: () => new Promise(() => undefined), connectTimeoutMs: 50 });
    const outcome = await client.attempt({ url: 'https://slow.example.com/', headers, body });
    expectError(outcome, 'dns', /name lookup within 50 ms/);
  });

  it('is a timeout when no TLS handshake comes', async () => {
    const { port } = await open.tcp(() => undefined);
    const client = open.client({ connectTimeoutMs: 50 });
    const outcome = await client.attempt({ url: `https://127.0.0.1:${port}/`, headers, body });
    expectError(outcome, 'timeout', /TLS handshake within 50 ms/);
  });

  it('is a timeout when nothing is answered', async () => {
    const outcome = expectError(await against(() => undefined), 'timeout', /^no answer within 200 ms/);
    expect(outcome.timings.totalMs).toBeGreaterThanOrEqual(190);
    expect(outcome.timings.totalMs).toBeLessThan(2000);
    expect(outcome).not.toHaveProperty('status');
  });

  it('is a timeout when the body stops in the middle', async () => {
    const outcome = await against((socket) => socket.write(`${head}half`));
    expect(expectError(outcome, 'timeout', /^no complete answer within 200 ms/).status).toBe(200);
  });

  it.each([
    ['body', head],
    ['head', 'HTTP/1.1 200 OK\r\nx-drip: '],
  ])('is a timeout when the %s drips', async (_part, beginning) => {
    const outcome = await against((socket) => {
      socket.write(beginning);
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    expect(expectError(outcome, 'timeout', /within 200 ms/).timings.totalMs).toBeLessThan(2000);
  });

  it('is a timeout when it has no connection in time', async () => {
    const { port } = await open.tcp(() => undefined);
    const client = open.client({ exchangeTimeoutMs: 50 });
    const outcome = await client.attempt({ url: `https://127.0.0.1:${port}/`, headers, body });
    expectError(outcome, 'timeout', /^no connection within 50 ms/);
  });

  it.each<[string, (socket: Socket) => unknown]>([
    ['is reset', (socket) => socket.resetAndDestroy()],
    ['is closed', (socket) => socket.end()],
    ['is closed in the middle of the body', (socket) => socket.end(`${head}half`)],
  ])('is a reset when the connection %s', async (_what, onRequest) => {
    expectError(await against(onRequest), 'reset', /./);
  });

  it.each<[string, string | Buffer]>([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['random bytes', Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x0d, 0x0a])],
    ['two content lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
    ['headers over 16 KiB', `HTTP/1.1 200 OK\r\n${`x-big: ${'y'.repeat(1000)}\r\n`.repeat(20)}\r\n`],
    ['a protocol switch', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['interim answers without end', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)],
  ])('is an http error when the answer is %s', async (_what, answer) => {
    expectError(await against((socket) => socket.write(answer)), 'http', /./);
  });

  it('is aborted by its signal: before, while waiting, and not after', async () => {
    const requests: Socket[] = [];
    const server = await open.tcp((socket) => socket.once('data', () => requests.push(socket)));
    const client = open.client();
    const url = `http://127.0.0.1:${server.port}/`;
    expectError(
      await client.attempt({ url, headers, body, signal: AbortSignal.abort() }),
      'aborted',
      /before/,
    );
    expect(server.connections()).toBe(0);

    const abort = new AbortController();
    const underWay = client.attempt({ url, headers, body, signal: abort.signal });
    abort.abort();
    expectError(await underWay, 'aborted', /aborted/);
  });

  it.each([
    ['a value with a line break', { 'x-a': 'b\r\nx-service-event: forged' }],
    ['a name with a space', { 'x a': 'b' }],
    ['the framing of the message', { 'transfer-encoding': 'chunked' }],
    ['another host', { host: 'other.example.com' }],
  ])('is an http error when a header has %s, again and again', async (_what, bad) => {
    const server = await open.http((_request, response) => response.end('ok'));
    const client = open.client({ maxSocketsPerOrigin: 2 });
    const url = `http://127.0.0.1:${server.port}/`;
    for (let n = 0; n < 5; n++) {
      expectError(
        await client.attempt({ url, headers: bad as Record<string, string>, body }),
        'http',
        /cannot send/,
      );
    }
    expect(await client.attempt({ url, headers, body })).toMatchObject({ status: 200 });
  });

  it('hangs up on the server when time is up', async () => {
    const server = createServer();
    const listening = await open.server(server);
    const connection = once(server, 'connection') as Promise<[Socket]>;
    const attempt = open
      .client({ exchangeTimeoutMs: 50 })
      .attempt({ url: `http://127.0.0.1:${listening.port}/`, headers, body });
    const [socket] = await connection;
    const hungUp = once(socket.resume(), 'close');
    expectError(await attempt, 'timeout', /./);
    await hungUp;
  });
});
