import { createServer } from 'node:net';
import { startHostileReceiver } from '@rewardhook/testing/hostile-receiver';
import type { HostileReceiver } from '@rewardhook/testing/hostile-receiver';
import { hostOf, checkUrl } from './check-url.ts';
import { listen, openFixtures } from './fixtures/open-fixtures.ts';
import { ssrfCases } from './fixtures/ssrf-cases.ts';
import { guardedConnector } from './guarded-connector.ts';
import { isPublicAddress } from './is-public-address.ts';
import type { AttemptFailure } from './attempt-failure.ts';
import { privateAddress, privateUrls, seededRandom, spellIPv4 } from './fixtures/private-urls.ts';

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

/** Generates the same URLs each time; a failure names the URL or the host. */
const seed = 20_261_121;
const traps: HostileReceiver[] = [];

beforeAll(async () => {
  for (const host of ['127.0.0.1', '::1']) {
    const trap = await startHostileReceiver({ host }).catch(() => undefined);
    if (trap) traps.push(trap);
  }
});
afterAll(() => Promise.all(traps.map((trap) => trap.close())));

const caught = (): number => traps.reduce((sum, trap) => sum + trap.connections(), 0);
const toTraps = (url: string, n: number): string =>
  url.replace('{port}', String(traps[n % traps.length]?.port ?? 0));

describe('10,000 generated private URLs', () => {
  it('are blocked as 8,000 spellings of private hosts', async () => {
    const client = open.client({ allowLoopbackHttp: false, resolve: async () => ['127.0.0.1', '::1'] });
    const urls = privateUrls(seed, 8000).map(toTraps);
    expect(new Set(urls).size).toBeGreaterThan(7000);
    const passed: string[] = [];
    for (const url of urls) {
      const outcome = await client.attempt({ url, headers, body });
      if (outcome.result !== 'error' || outcome.errorClass !== 'blocked') passed.push(url);
    }
    expect(passed).toEqual([]);
    expect(caught()).toBe(0);
  });

  it('are blocked by the connector alone, without the preceding check of the URL', async () => {
    const connector = guardedConnector({
      allowAddress: isPublicAddress,
      resolve: async () => ['127.0.0.1', '::1'],
      timeoutMs: 5000,
    });
    const readable = privateUrls(seed, 8000)
      .map(toTraps)
      .filter((url) => URL.canParse(url));
    expect(readable.length).toBeGreaterThan(6000);
    const passed: string[] = [];
    for (const url of readable) {
      const port = Number(new URL(url).port) || 80;
      const target = { hostname: hostOf(new URL(url)), protocol: 'http:', port } as const;
      const opening = connector.open(target).catch((error: AttemptFailure) => error);
      if (((await opening) as AttemptFailure).errorClass !== 'blocked') passed.push(url);
    }
    expect(passed).toEqual([]);
    expect(caught()).toBe(0);
  });

  it('are blocked as 1,000 public names with private addresses', async () => {
    const random = seededRandom(seed);
    const odd = ['127.1', '0x7f.0.0.1', '2130706433', 'fe80::1%lo', '[::1]', 'localhost', ''];
    const answers = new Map<string, string[]>();
    for (let n = 0; n < 1000; n++) {
      const found = Array.from({ length: 1 + random.below(4) }, () => privateAddress(random));
      answers.set(`shop-${n}.example.com`, random.below(4) === 0 ? [random.pick(odd), ...found] : found);
    }
    const client = open.client({
      allowLoopbackHttp: false,
      resolve: async (name) => answers.get(name) ?? [],
    });
    const passed: unknown[] = [];
    for (const [n, [name, found]] of [...answers].entries()) {
      const outcome = await client.attempt({ url: toTraps(`https://${name}:{port}/`, n), headers, body });
      if (outcome.result !== 'error' || outcome.errorClass !== 'blocked') passed.push([found, outcome]);
    }
    expect(passed).toEqual([]);
    expect(caught()).toBe(0);
  });

  it('are blocked as 500 names that resolve differently each time', async () => {
    // 127.0.0.2 represents the one public address, because a test must not connect to a real one.
    const receiver = await open.hostile({ host: '127.0.0.2' });
    const random = seededRandom(seed);
    const trap = traps[0]?.port ?? 0;
    const asked = new Set<string>();
    const connector = guardedConnector({
      allowAddress: (ip) => ip === '127.0.0.2' || isPublicAddress(ip),
      resolve: async (name) => {
        const others = Array.from({ length: random.below(3) }, () => privateAddress(random));
        if (asked.has(name)) return ['127.0.0.1', '::1', ...others];
        asked.add(name);
        return [...others, '127.0.0.2', '127.0.0.1'];
      },
      timeoutMs: 5000,
    });
    for (let n = 0; n < 500; n++) {
      const target = { hostname: `rebind-${n}.example.com`, protocol: 'http:' } as const;
      const { socket } = await connector.open({ ...target, port: receiver.port });
      expect(socket.remoteAddress).toBe('127.0.0.2');
      socket.destroy();
      await expect(connector.open({ ...target, port: trap })).rejects.toMatchObject({
        errorClass: 'blocked',
      });
    }
    expect(receiver.connections()).toBe(500);
    expect(caught()).toBe(0);
  });

  it('are not reached by 500 redirects', async () => {
    const locations = privateUrls(seed + 1, 500).map(toTraps);
    const receiver = await open.hostile({
      behave: ({ path }) => {
        const n = Number(path.slice(1));
        return {
          does: 'answer',
          status: [301, 302, 303, 307, 308][n % 5] ?? 301,
          headers: { location: locations[n] ?? '' },
        };
      },
    });
    const client = open.client();
    for (const n of locations.keys()) {
      const outcome = await client.attempt({ url: `${receiver.url}/${n}`, headers, body });
      expect(outcome).toMatchObject({ result: 'response' });
    }
    expect([receiver.requests.length, receiver.connections()]).toEqual([500, 1]);
    expect(caught()).toBe(0);
  });

  it('would be noticed by the listeners of this test', async () => {
    for (const trap of traps) {
      await open.client().attempt({ url: `${trap.url}/`, headers, body });
      expect(trap.connections()).toBe(1);
    }
  });
});

describe('A public address', () => {
  it('is allowed in 2,000 IPv4 spellings and 2,000 IPv6 addresses', () => {
    const random = seededRandom(seed);
    const refused: string[] = [];
    // First octets of ranges that are entirely public (IANA, IPv4 special-purpose registry).
    const publicFirst = Array.from({ length: 223 }, (_, n) => n + 1).filter(
      (n) => ![10, 100, 127, 168, 169, 172, 192, 198, 203].includes(n),
    );
    for (let n = 0; n < 2000; n++) {
      const octets = [random.pick(publicFirst), random.below(256), random.below(256), random.below(256)];
      const parts = Array.from({ length: 7 }, () => random.below(65_536).toString(16)).join(':');
      const v6 = `${random.pick(['2400', '2606', '2803', '2a00', '2c0f', '2404'])}:${parts}`;
      if (!isPublicAddress(octets.join('.'))) refused.push(octets.join('.'));
      if (!isPublicAddress(v6)) refused.push(v6);
      for (const url of [`https://${spellIPv4(random, octets)}/hook`, `https://[${v6}]:8443/hook`]) {
        if (!checkUrl(url, { allowLoopbackHttp: false }).ok) refused.push(url);
      }
    }
    expect(refused).toEqual([]);
  });
});
