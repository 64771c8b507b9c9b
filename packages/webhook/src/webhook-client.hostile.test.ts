import { scaled, waitFor } from '@rewardhook/testing';
import { selfSigned, type HostileBehaviour, type HostileOptions } from '@rewardhook/testing/hostile-receiver';
import type { AttemptError, AttemptResult } from './attempt-result.ts';
import { expectError } from './fixtures/expect-error.ts';
import { openFixtures } from './fixtures/open-fixtures.ts';
import type { WebhookClientOptions } from './webhook-client.ts';

const open = openFixtures();
afterEach(open.closeAll);

const headers = { 'content-type': 'application/json' };
const body = Buffer.from('{"id":"evt_1"}');
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
