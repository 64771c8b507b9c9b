import { scaled, waitFor } from '@rewardhook/testing';
import { selfSigned, type HostileRequest } from '@rewardhook/testing/hostile-receiver';
import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptResult } from './attempt-result.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import { expectError } from './fixtures/expect-error.ts';
import { openFixtures } from './fixtures/open-fixtures.ts';
import { signBody } from './signatures.ts';

const open = openFixtures();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json' };
const body = Buffer.from('{}');
const statusOf = (outcome: AttemptResult) => [
  outcome.result === 'response' && outcome.status,
  outcome.connectionReused,
];

/** The header lines of a request as received. */
const linesOf = ({ head }: HostileRequest): string[] => head.split('\r\n').slice(1);

describe('The connections of a webhook client', () => {
  it('are reused for one origin, and the guard checks the addresses of each new one', async () => {
    const tls = selfSigned({ names: ['shop.example.com'] });
    const receiver = await open.hostile({ tls });
    let answer = ['127.0.0.1'];
    let asked = 0;
    const client = open.client({
      ca: [tls.cert],
      resolve: async () => {
        asked += 1;
        return answer;
      },
    });
    const url = `https://shop.example.com:${receiver.port}/hook`;
    const attempt = () => client.attempt({ url, headers, body });
    expect(statusOf(await attempt())).toEqual([200, false]);
    for (let n = 0; n < 4; n++) expect(statusOf(await attempt())).toEqual([200, true]);
    expect([receiver.connections(), asked]).toEqual([1, 1]);

    // The open connection leads to the address that was checked; a new one would not.
    answer = ['10.0.0.1'];
    receiver.script('/hook', { does: 'answer', hangUp: true });
    expect(statusOf(await attempt())).toEqual([200, true]);
    await waitFor(() => receiver.openConnections() === 0);
    expectError(await attempt(), 'blocked', /no public address/);
    answer = ['127.0.0.1'];
    expect(statusOf(await attempt())).toEqual([200, false]);
    expect([receiver.connections(), receiver.requests.length, asked]).toEqual([2, 7, 3]);
  });

  it('report how long each phase took, when they are new and when they are reused', async () => {
    const tls = selfSigned({ names: ['shop.example.com'] });
    const receiver = await open.hostile({
      tls,
      greet: () => ({ does: 'wait', ms: 60 }),
      behave: () => ({ does: 'answer', body: 'ok', afterMs: 50, bodyAfterMs: 30 }),
    });
    const client = open.client({
      ca: [tls.cert],
      resolve: async () => {
        await delay(40);
        return ['127.0.0.1'];
      },
    });
    const attempt = () =>
      client.attempt({ url: `https://shop.example.com:${receiver.port}/`, headers, body });
    const { timings: first } = await attempt();
    const { dnsMs = 0, connectMs = 0, tlsMs = 0, firstByteMs = 0, bodyMs = 0, totalMs } = first;
    expect(dnsMs).toBeGreaterThanOrEqual(39);
    // The receiver may begin to wait before this process has noticed the connection, or the head of the response: then the phase
    // before that has the rest of the time.
    expect(connectMs + tlsMs).toBeGreaterThanOrEqual(59);
    expect(tlsMs).toBeGreaterThanOrEqual(30);
    expect(connectMs).toBeLessThan(dnsMs + tlsMs);
    expect(firstByteMs).toBeGreaterThanOrEqual(49);
    expect(firstByteMs + bodyMs).toBeGreaterThanOrEqual(79);
    expect(bodyMs).toBeGreaterThanOrEqual(15);
    const sum = dnsMs + connectMs + tlsMs + firstByteMs + bodyMs;
    expect(sum).toBeLessThanOrEqual(totalMs + 1);
    expect(totalMs - sum).toBeLessThan(scaled(150));

    const { timings: second, connectionReused } = await attempt();
    expect(connectionReused).toBe(true);
    expect(Object.keys(second).sort()).toEqual(['bodyMs', 'firstByteMs', 'totalMs']);
    const { firstByteMs: againFirstByteMs = 0, bodyMs: againBodyMs = 0 } = second;
    expect(againFirstByteMs).toBeGreaterThanOrEqual(49);
    expect(againFirstByteMs + againBodyMs).toBeGreaterThanOrEqual(79);
    expect(second.totalMs).toBeGreaterThanOrEqual(againFirstByteMs + againBodyMs - 1);
  });

  it('do not count the wait for a connection as response time', async () => {
    const receiver = await open.hostile({ behave: () => ({ does: 'answer', afterMs: 60 }) });
    const client = open.client({ maxSocketsPerOrigin: 1 });
    const attempt = () => client.attempt({ url: `${receiver.url}/`, headers, body });
    const [first, second, third] = await Promise.all([attempt(), attempt(), attempt()]);
    expect([first, second, third].map(statusOf)).toEqual([
      [200, false],
      [200, true],
      [200, true],
    ]);
    expect(third.timings.totalMs).toBeGreaterThan(170);
    expect(third.timings.totalMs - (third.timings.firstByteMs ?? 0)).toBeGreaterThan(100);
    expect(receiver.connections()).toBe(1);
  });

  it('are not opened for a request that has ended, and the next request gets a new one', async () => {
    const receiver = await open.hostile({});
    receiver.script('/', { does: 'hang', at: 'status' }, { does: 'hang', at: 'request' }, { does: 'answer' });
    const client = open.client({ maxSocketsPerOrigin: 1, exchangeTimeoutMs: 400 });
    const attempt = () => client.attempt({ url: `${receiver.url}/`, headers, body });
    expectError(await attempt(), 'timeout', /^no answer/);
    expectError(await attempt(), 'timeout', /^no answer/);
    await waitFor(() => receiver.openConnections() === 0);
    expect(receiver.connections()).toBe(2);
    expect(statusOf(await attempt())).toEqual([200, false]);
    expect(statusOf(await attempt())).toEqual([200, true]);
    expect(receiver.connections()).toBe(3);
  });

  it('carry no data of one merchant into the request of another', async () => {
    const receiver = await open.hostile({});
    // A request of the second merchant is aborted while it waits for its response: none of its bytes may reach the
    // next request.
    receiver.script('/late', { does: 'answer', afterMs: 10_000 });
    const client = open.client({ maxSocketsPerOrigin: 2, exchangeTimeoutMs: 2000 });
    const abort = new AbortController();
    const buildRequest = (merchant: string, n: number) => {
      const bytes = Buffer.from(JSON.stringify({ id: `evt_${merchant}_${n}`, note: merchant.repeat(n) }));
      const secret = `whsec_${Buffer.from(`secret of ${merchant}`.padEnd(32)).toString('base64')}`;
      const signing = { primary: secret, all: [secret] };
      const signed = deliveryHeaders({
        eventType: 'reward.issue',
        deliveryId: `${merchant}-${n}`,
        attempt: n,
        body: bytes,
        signing,
        timestampSeconds: 1_800_000_000 + n,
      });
      return { merchant, secret, bytes, headers: { ...signed, [`x-only-${merchant}`]: `${n}` } };
    };
    const late = buildRequest('omegashop', 99);
    const given = client.attempt({
      url: `${receiver.url}/late`,
      headers: late.headers,
      body: late.bytes,
      signal: abort.signal,
    });
    await waitFor(() => receiver.requests.length === 1);
    abort.abort();
    expectError(await given, 'aborted', /./);

    const all = Array.from({ length: 40 }, (_, n) =>
      buildRequest(n % 2 === 0 ? 'alphashop' : 'omegashop', n),
    );
    const outcomes = await Promise.all(
      all.map(({ headers: own, bytes }, n) =>
        client.attempt({ url: `${receiver.url}/${n}`, headers: own, body: bytes }),
      ),
    );
    expect(receiver.connections()).toBeLessThanOrEqual(3);
    expect(outcomes.filter(({ connectionReused }) => connectionReused).length).toBeGreaterThanOrEqual(38);
    for (const [n, { merchant, secret, bytes, headers: own }] of all.entries()) {
      const request = receiver.requests.find(({ path }) => path === `/${n}`) as HostileRequest;
      const expected = {
        host: `127.0.0.1:${receiver.port}`,
        ...own,
        'content-length': String(bytes.length),
      };
      expect(linesOf(request).sort()).toEqual(
        ['connection: keep-alive', ...Object.entries(expected).map((pair) => pair.join(': '))].sort(),
      );
      expect(request.body.equals(bytes)).toBe(true);
      expect(own['X-Service-Signature']).toBe(signBody(secret, request.body));
      expect(request.head + request.body.toString()).not.toContain(
        merchant === 'alphashop' ? 'omegashop' : 'alphashop',
      );
      expect(outcomes[n]?.requestHeaders).toEqual(expected);
    }
  });
});

describe('The sent headers of an attempt', () => {
  it('are returned for a failure too, once the request was sent, and not before', async () => {
    const receiver = await open.hostile({ behave: () => ({ does: 'reset', at: 'request' }) });
    const outcome = await open.client().attempt({ url: `${receiver.url}/`, headers, body });
    expectError(outcome, 'reset', /./);
    const sent = {
      host: `127.0.0.1:${receiver.port}`,
      ...headers,
      'content-length': '2',
    };
    expect(outcome.requestHeaders).toEqual(sent);

    const unresponsive = await open.hostile({ greet: () => ({ does: 'hang' }) });
    const url = unresponsive.url.replace('http:', 'https:');
    const unsent = await open.client({ connectTimeoutMs: 30 }).attempt({ url, headers, body });
    expect(unsent).not.toHaveProperty('requestHeaders');
    const blocked = await open.client().attempt({ url: 'https://10.0.0.1/', headers, body });
    expect(blocked).not.toHaveProperty('requestHeaders');
  });

  it('are returned for an empty body and with any value that can be sent', async () => {
    const receiver = await open.hostile({});
    const own = { 'X-Latin': 'caf\u00e9', 'x-colon': 'a: b: c', 'x-empty': '' };
    const outcome = await open.client().attempt({ url: `${receiver.url}/`, headers: own, body: Buffer.of() });
    expect(outcome.requestHeaders).toMatchObject({ ...own, 'content-length': '0' });
    const sent = Object.entries(outcome.requestHeaders ?? {}).map((pair) => pair.join(': '));
    expect(linesOf(receiver.requests[0] as HostileRequest).sort()).toEqual(
      ['connection: keep-alive', ...sent].sort(),
    );
  });
});
