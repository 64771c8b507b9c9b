import { scaled, waitFor } from '@rewardhook/testing';
import { type HostileBehaviour, type HostileReceiver } from '@rewardhook/testing/hostile-receiver';
import type { AttemptResult, AttemptResponse } from './attempt-result.ts';
import { openFixtures } from './fixtures/open-fixtures.ts';

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
