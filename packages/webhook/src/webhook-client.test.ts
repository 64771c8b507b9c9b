import { waitFor } from '@rewardhook/testing';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { deliveryHeaders } from './delivery-headers.ts';
import { openFixtures } from './fixtures/open-fixtures.ts';
import { verifySignature } from '@rewardhook/verify';
import { generateSigningSecret } from './signatures.ts';

const open = openFixtures();
afterEach(open.closeAll);

const body = Buffer.from('{"id":"evt_1","note":"보상"}');
const headers = { 'content-type': 'application/json' };

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const secret = generateSigningSecret();

describe('An attempt with a response', () => {
  it('POSTs exactly the signed bytes and returns status, headers, body and timings', async () => {
    const received: { request: IncomingMessage; body: Buffer }[] = [];
    const { port } = await open.http(async (request, response) => {
      received.push({ request, body: await readAll(request) });
      response.writeHead(202, { 'X-Shop': 'one', 'set-cookie': 'session=secret' }).end('{"ok":true}');
    });
    const odd = Buffer.concat([body, Buffer.from([0xff, 0x00, 0x0a])]);
    const signed = deliveryHeaders({
      eventType: 'reward.issue',
      deliveryId: 'd-1',
      attempt: 1,
      body: odd,
      signing: { primary: secret, all: [secret] },
      timestampSeconds: 1,
    });
    const outcome = await open
      .client()
      .attempt({ url: `http://127.0.0.1:${port}/a?b=c`, headers: signed, body: odd });

    expect(outcome).toEqual({
      result: 'response',
      status: 202,
      responseHeaders: expect.objectContaining({ 'x-shop': 'one' }),
      responseBody: '{"ok":true}',
      truncated: false,
      connectionReused: false,
      retriedOnNewConnection: false,
      requestHeaders: {
        host: `127.0.0.1:${port}`,
        ...signed,
        'content-length': String(odd.length),
      },
      timings: {
        totalMs: expect.any(Number),
        connectMs: expect.any(Number),
        firstByteMs: expect.any(Number),
        bodyMs: expect.any(Number),
      },
    });
    expect(outcome).not.toHaveProperty('responseHeaders.set-cookie');
    const [{ request, body: bytes } = { request: undefined, body: Buffer.of() }] = received;
    expect(request).toMatchObject({ method: 'POST', url: '/a?b=c' });
    expect(request?.headers).toMatchObject({
      'content-length': String(odd.length),
      'x-service-event': 'reward.issue',
      'x-service-delivery': 'd-1',
      'user-agent': 'Rewardhook/1',
    });
    expect(bytes.equals(odd)).toBe(true);
    expect(verifySignature(secret, bytes, request?.headers['x-service-signature'] as string)).toBe(true);
  });

  it.each([204, 410, 429, 500, 503])('returns a status of %i with its Retry-After', async (status) => {
    const { port } = await open.http((_request, response) =>
      response.writeHead(status, { 'retry-after': '17' }).end(),
    );
    const outcome = await open.client().attempt({ url: `http://127.0.0.1:${port}/`, headers, body });
    expect(outcome).toMatchObject({ result: 'response', status, retryAfterSeconds: 17, responseBody: '' });
  });

  it('skips 103 Early Hints', async () => {
    const { port } = await open.http((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      response.end('done');
    });
    const outcome = await open.client().attempt({ url: `http://127.0.0.1:${port}/`, headers, body });
    expect(outcome).toMatchObject({ result: 'response', status: 200, responseBody: 'done' });
  });

  it('reuses an open connection', async () => {
    const server = await open.http((request, response) =>
      request.resume().on('end', () => response.end('ok')),
    );
    const client = open.client();
    const outcomes = [];
    for (let n = 0; n < 5; n++) {
      outcomes.push(await client.attempt({ url: `http://127.0.0.1:${server.port}/`, headers, body }));
    }
    expect(outcomes.map((outcome) => outcome.result === 'response' && outcome.connectionReused)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    expect(outcomes[0]?.timings.connectMs).toEqual(expect.any(Number));
    expect(outcomes[1]?.timings).not.toHaveProperty('connectMs');
    expect(server.connections()).toBe(1);
  });

  it('opens a new connection when the server has closed the idle one', async () => {
    let serverSide: Socket | undefined;
    const server = await open.http((request, response) => {
      serverSide = request.socket;
      response.end('ok');
    });
    const client = open.client();
    const url = `http://127.0.0.1:${server.port}/`;
    await client.attempt({ url, headers, body });
    serverSide?.end();
    await once(serverSide as NonNullable<typeof serverSide>, 'close');
    expect(await client.attempt({ url, headers, body })).toMatchObject({
      status: 200,
      connectionReused: false,
    });
    expect(server.connections()).toBe(2);
  });

  it('opens at most the configured number of connections to an origin and still sends everything', async () => {
    const server = await open.http((request, response) =>
      request.resume().on('end', () => response.end('ok')),
    );
    const client = open.client({ maxSocketsPerOrigin: 3 });
    const url = `http://127.0.0.1:${server.port}/`;
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, () => client.attempt({ url, headers, body })),
    );
    expect(outcomes.every((outcome) => outcome.result === 'response' && outcome.status === 200)).toBe(true);
    expect(server.connections()).toBe(3);
  });
});

describe('A closed webhook client', () => {
  it('aborts the attempts in progress and every later attempt', async () => {
    let arrived: () => void = () => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const { port } = await open.http(() => arrived());
    const client = open.client();
    const url = `http://127.0.0.1:${port}/`;
    const underWay = client.attempt({ url, headers, body });
    await arrival;
    await client.close();
    expect(await underWay).toMatchObject({ result: 'error', errorClass: 'aborted' });
    expect(await client.attempt({ url, headers, body })).toMatchObject({
      result: 'error',
      errorClass: 'aborted',
    });
  });

  it('aborts attempts that wait for a connection, also those behind one whose connection broke', async () => {
    const receiver = await open.hostile({
      greet: (connection) => (connection === 1 ? { does: 'reset' } : undefined),
      behave: () => ({ does: 'hang', at: 'request' }),
    });
    const client = open.client({ maxSocketsPerOrigin: 1 });
    const attempts = Array.from({ length: 5 }, () =>
      client.attempt({ url: `${receiver.url}/`, headers, body }),
    );
    expect(await attempts[0]).toMatchObject({ result: 'error' });
    await waitFor(() => receiver.requests.length === 1);
    await client.close();
    const rest = await Promise.all(attempts.slice(1));
    expect(rest.map((outcome) => outcome.result === 'error' && outcome.errorClass)).toEqual(
      Array(4).fill('aborted'),
    );
    await waitFor(() => receiver.openConnections() === 0);
    expect(receiver.requests).toHaveLength(1);
  });

  it('closes the connections that are being opened', async () => {
    const server = createServer();
    const { port } = await open.server(server);
    const client = open.client();
    const underWay = client.attempt({ url: `https://127.0.0.1:${port}/`, headers, body });
    const [socket] = (await once(server, 'connection')) as [Socket];
    const hungUp = once(socket.resume(), 'close');
    await client.close();
    expect(await underWay).toMatchObject({ result: 'error', errorClass: 'aborted' });
    await hungUp;
  });
});
