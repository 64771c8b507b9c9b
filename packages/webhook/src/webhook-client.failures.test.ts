import { createServer, type Socket } from 'node:net';
import { expectError } from './fixtures/expect-error.ts';
import { listen, openFixtures } from './fixtures/open-fixtures.ts';

const open = openFixtures();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json' };
const body = Buffer.from('{}');
describe('An attempt that fails', () => {
  it('is a connect error when no server listens', async () => {
    const { port, close } = await listen(createServer());
    await close();
    const outcome = await open.client().attempt({ url: `http://127.0.0.1:${port}/`, headers, body });
    const { timings } = expectError(outcome, 'connect', /ECONNREFUSED/);
    expect(timings.totalMs).toBeGreaterThan(0);
  });

  it('is a connect error for every attempt that waits for a connection', async () => {
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

  it('is a dns error when the name server does not answer', async () => {
    const client = open.client({ resolve: () => new Promise(() => undefined), connectTimeoutMs: 50 });
    const outcome = await client.attempt({ url: 'https://slow.example.com/', headers, body });
    expectError(outcome, 'dns', /name lookup within 50 ms/);
  });

  it('is a timeout when it has no connection in time', async () => {
    const { port } = await open.tcp(() => undefined);
    const client = open.client({ exchangeTimeoutMs: 50 });
    const outcome = await client.attempt({ url: `https://127.0.0.1:${port}/`, headers, body });
    expectError(outcome, 'timeout', /^no connection within 50 ms/);
  });

  it('is aborted by its signal before it begins and while it waits', async () => {
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
  ])('is an http error each time when a header has %s', async (_what, bad) => {
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
});
