import { createServer } from 'node:net';
import { hostOf } from './check-url.ts';
import { listen, openFixtures } from './fixtures/open-fixtures.ts';
import { ssrfCases } from './fixtures/ssrf-cases.ts';
import { guardedConnector } from './guarded-connector.ts';
import { isPublicAddress } from './is-public-address.ts';

const open = openFixtures();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json' };
const body = Buffer.from('{}');

describe('The SSRF guard', () => {
  it('connects to no form of a private URL', async () => {
    const server = await open.tcp((socket) => socket.end());
    const resolve = async (): Promise<string[]> => [
      '127.0.0.1',
      '::1',
      '10.0.0.1',
      '::ffff:127.0.0.1',
      'junk',
    ];
    const client = open.client({ allowLoopbackHttp: false, resolve });
    for (const { tries: name, url } of ssrfCases.refused) {
      const outcome = await client.attempt({
        url: url.replace('{port}', String(server.port)),
        headers,
        body,
      });
      expect([name, outcome]).toMatchObject([name, { result: 'error', errorClass: 'blocked' }]);
    }
    expect(server.connections()).toBe(0);
  });

  it('connects to no private host in the connector either, without the preceding check of the URL', async () => {
    const server = await open.tcp((socket) => socket.end());
    const connector = guardedConnector({
      allowAddress: isPublicAddress,
      resolve: async () => ['127.0.0.1'],
      timeoutMs: 1000,
    });
    const port = String(server.port);
    let checked = 0;
    for (const { tries: name, url } of ssrfCases.refused.filter((one) => one.url.endsWith('{port}/hook'))) {
      const text = url.replace('{port}', port);
      if (!URL.canParse(text)) continue;
      checked += 1;
      for (const protocol of ['http:', 'https:'] as const) {
        const target = { hostname: hostOf(new URL(text)), protocol, port: server.port };
        await expect([name, await connector.open(target).catch((error: unknown) => error)]).toMatchObject([
          name,
          { errorClass: 'blocked' },
        ]);
      }
    }
    expect(checked).toBeGreaterThan(60);
    expect(server.connections()).toBe(0);
  });

  it('blocks private addresses other than loopback in development too', async () => {
    const client = open.client({ resolve: async () => ['10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1'] });
    const outcome = await client.attempt({ url: 'https://hooks.example.com/', headers, body });
    expect(outcome).toMatchObject({
      result: 'error',
      errorClass: 'blocked',
      message: 'the host has no public address',
    });
  });

  it('connects only to the allowed addresses of a name', async () => {
    const server = await open.tcp((socket) => socket.destroy());
    const closed = await listen(createServer());
    await closed.close();
    const client = open.client({ resolve: async () => ['10.0.0.1', '127.0.0.1', '192.168.0.1'] });
    const outcome = await client.attempt({ url: `https://hooks.example.com:${closed.port}/`, headers, body });
    expect(outcome).toMatchObject({ result: 'error', errorClass: 'connect' });
    const other = await client.attempt({ url: `https://hooks.example.com:${server.port}/`, headers, body });
    expect(other).toMatchObject({ result: 'error', errorClass: 'tls' });
    expect(server.connections()).toBe(1);
  });

  it('resolves a name once per connection and blocks a name that moves to a private address', async () => {
    const server = await open.tcp((socket) => socket.destroy());
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['::ffff:7f00:1']];
    const queried: string[] = [];
    const client = open.client({
      resolve: async (name) => {
        queried.push(name);
        return answers.shift() ?? [];
      },
    });
    const url = `https://rebind.example.com:${server.port}/`;
    expect(await client.attempt({ url, headers, body })).toMatchObject({ errorClass: 'tls' });
    expect(await client.attempt({ url, headers, body })).toMatchObject({ errorClass: 'blocked' });
    expect(await client.attempt({ url, headers, body })).toMatchObject({ errorClass: 'blocked' });
    expect(await client.attempt({ url, headers, body })).toMatchObject({ errorClass: 'blocked' });
    expect(queried).toEqual(Array(4).fill('rebind.example.com'));
    expect(server.connections()).toBe(1);
  });

  it('never queries a name server for localhost', async () => {
    const server = await open.http((_request, response) => response.end('ok'));
    const client = open.client({
      resolve: async () => {
        throw new Error('queried');
      },
    });
    for (const host of ['localhost', 'hooks.localhost', 'localhost.']) {
      const outcome = await client.attempt({ url: `http://${host}:${server.port}/`, headers, body });
      expect(outcome).toMatchObject({ status: 200 });
    }
  });

  it('checks the connected address before a byte is sent', async () => {
    // A connection to 0.0.0.0 reaches 127.0.0.1: a policy that allows only 0.0.0.0 must reject the connected address.
    let received = 0;
    const server = await open.tcp((socket) => socket.on('data', (chunk) => (received += chunk.length)));
    const connector = guardedConnector({
      allowAddress: (ip) => ip === '0.0.0.0',
      resolve: async () => [],
      timeoutMs: 1000,
    });
    for (const protocol of ['http:', 'https:'] as const) {
      await expect(
        connector.open({ hostname: '0.0.0.0', protocol, port: server.port }),
      ).rejects.toMatchObject({ errorClass: 'blocked', message: 'the connected address is not public' });
    }
    expect(received).toBe(0);
  });
});
