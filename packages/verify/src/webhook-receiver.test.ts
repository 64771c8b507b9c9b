import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import fastify from 'fastify';
import { deliveryHeaders, generateSigningSecret } from '@rewardhook/webhook';
import { webhookHandler } from './edge.ts';
import { webhookReceiver as expressReceiver } from './express.ts';
import { webhookReceiver as fastifyReceiver } from './fastify.ts';
import { handledInMemory } from './handled-events.ts';
import { webhookApiRoute, webhookRoute } from './next.ts';
import type { WebhookReceiverOptions } from './receiver.ts';
import { signWebhook } from './sign-webhook.ts';
import { webhookReceiver } from './webhook-receiver.ts';

const secret = generateSigningSecret();
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close().closeAllConnections()));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

/** Options whose handler notes the delivery id and the amount of each event. */
function noting(options: Partial<WebhookReceiverOptions> = {}) {
  const handled: [string, number][] = [];
  const tests: string[] = [];
  const errors: unknown[] = [];
  const all: WebhookReceiverOptions = {
    secrets: [secret],
    handled: handledInMemory(),
    onEvent: (event, { deliveryId }) =>
      handled.push([deliveryId, (event.data as unknown as { amount: number }).amount]),
    onTestEvent: (event) => tests.push(event.type),
    onError: (error) => errors.push(error),
    ...options,
  };
  return { all, handled, tests, errors };
}

function receiver(options: Partial<WebhookReceiverOptions> = {}) {
  const { all, ...notes } = noting(options);
  return { handle: webhookReceiver(all), ...notes };
}

/** Serves a handler of `Request` as an edge runtime does. */
const ofFetch =
  (handle: (request: Request) => Promise<Response>): RequestListener =>
  async (request, response) => {
    const headers = new Headers();
    for (const [name, values] of Object.entries(request.headersDistinct))
      for (const value of values ?? []) headers.append(name, value);
    const body = Readable.toWeb(request) as ReadableStream<Uint8Array>;
    const given = { method: 'POST', headers, body, duplex: 'half' };
    const answer = await handle(new Request('http://receiver/hooks', given as RequestInit));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(await answer.text());
  };

const ofFastify = async (options: WebhookReceiverOptions): Promise<RequestListener> => {
  const app = fastify();
  app.register(fastifyReceiver({ ...options, path: '/hooks' }));
  app.post('/other', async ({ body }) => body);
  await app.ready();
  return app.routing;
};

/** How a receiver is mounted in each framework. */
const frameworks: [
  string,
  (options: WebhookReceiverOptions) => RequestListener | Promise<RequestListener>,
][] = [
  ['node:http', (options) => webhookReceiver(options)],
  ['Express', (options) => express().post('/hooks', expressReceiver(options))],
  [
    'Express behind express.raw',
    (options) => express().post('/hooks', express.raw({ type: '*/*' }), expressReceiver(options)),
  ],
  [
    'Express before express.json',
    (options) => express().post('/hooks', expressReceiver(options)).use(express.json()),
  ],
  [
    'Express behind a parser that keeps rawBody',
    (options) => {
      const verify = (request: IncomingMessage & { rawBody?: Buffer }, _response: unknown, bytes: Buffer) => {
        request.rawBody = bytes;
      };
      return express().use(express.json({ verify })).post('/hooks', expressReceiver(options));
    },
  ],
  [
    'Express behind a parser of another content type, which leaves the body unread',
    (options) =>
      express()
        .use(express.json({ type: 'application/xml' }), (request, _response, next) => {
          request.body = {};
          next();
        })
        .post('/hooks', expressReceiver(options)),
  ],
  ['Fastify', ofFastify],
  ['a route handler of Next', (options) => ofFetch(webhookRoute(options))],
  ['a page of Next', (options) => webhookApiRoute(options)],
  ['an edge runtime', (options) => ofFetch(webhookHandler(options))],
];

type Sent = {
  event?: string;
  reward?: string | undefined;
  key?: string;
  size?: number;
  standard?: boolean;
  sentAt?: number;
  test?: unknown;
  mode?: string;
};

async function send(
  url: string,
  deliveryId: string,
  {
    event = 'reward.issue',
    reward,
    key = secret,
    size = 0,
    standard = true,
    sentAt = Date.now(),
    test,
    mode,
  }: Sent = {},
) {
  const data = { amount: 3000, padding: 'x'.repeat(size), ...(reward && { reward: { id: reward } }) };
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', type: event, test, mode, created_at: '', data }));
  const signing = { primary: key, all: [key] };
  const timestampSeconds = Math.floor(sentAt / 1000);
  const all = deliveryHeaders({ eventType: event, deliveryId, attempt: 1, body, signing, timestampSeconds });
  const headers = Object.entries(all).filter(([name]) => standard || !name.startsWith('webhook-'));
  const answer = await fetch(url, { method: 'POST', headers, body });
  const { code, ignored } = (await answer.json()) as { code: string; ignored?: boolean };
  return [answer.status, code, ...(ignored === undefined ? [] : [ignored])];
}

describe('A webhook receiver', () => {
  it.each(frameworks)('handles an event once and answers 200 to duplicates, in %s', async (_where, mount) => {
    const { all, handled } = noting();
    const url = await serve(await mount(all));
    expect(await send(url, 'd-1')).toEqual([200, 'ok']);
    expect(await send(url, 'd-1')).toEqual([200, 'duplicate']);
    expect(await send(url, 'd-2', { reward: 'rwd_2' })).toEqual([200, 'ok']);
    expect(handled).toEqual([
      ['d-1', 3000],
      ['d-2', 3000],
    ]);
  });

  it.each(frameworks)('refuses what is not verified, and large bodies, in %s', async (_where, mount) => {
    const { all, handled, errors } = noting({ maxBodyBytes: 1000 });
    const url = await serve(await mount(all));
    expect(await send(url, 'd-1', { key: generateSigningSecret() })).toEqual([400, 'wrong_signature']);
    expect(await send(url, 'd-1', { sentAt: Date.now() - 400_000 })).toEqual([400, 'too_old']);
    expect(await send(url, 'd-1', { standard: false })).toEqual([400, 'missing_timestamp']);
    const body = Buffer.from('{"id":"evt_1","type":"reward.issue"}');
    const twice = signWebhook({ body, secrets: [secret] });
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: [...Object.entries(twice), ['webhook-timestamp', '1800000000']],
    });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'duplicate_header' }]);
    expect((await send(url, 'd-1', { size: 2000 }))[0]).toBe(413);
    expect([handled, errors]).toEqual([[], []]);
  });

  it.each(frameworks)('passes test events to onTestEvent only, in %s', async (_where, mount) => {
    const { all, handled, tests } = noting();
    const url = await serve(await mount(all));
    for (const id of ['d-1', 'd-2'])
      expect(await send(url, id, { reward: 'rwd_1', test: true })).toEqual([200, 'test_event']);
    expect(await send(url, 'd-3', { reward: 'rwd_1' })).toEqual([200, 'ok']);
    expect([tests, handled.length]).toEqual([['reward.issue', 'reward.issue'], 1]);
  });

  it.each(frameworks)('passes events of the test side to onTestEvent only, in %s', async (_where, mount) => {
    const { all, handled, tests } = noting();
    const url = await serve(await mount(all));
    expect(await send(url, 'd-1', { reward: 'rwd_1', mode: 'test' })).toEqual([200, 'test_event']);
    expect(await send(url, 'd-2', { reward: 'rwd_1' })).toEqual([200, 'ok']);
    expect([tests, handled]).toEqual([['reward.issue'], [['d-2', 3000]]]);
  });

  it.each(frameworks)('handles events of the test side with acceptTestSide, in %s', async (_where, mount) => {
    const { all, handled, tests } = noting({ acceptTestSide: true });
    const url = await serve(await mount(all));
    expect(await send(url, 'd-1', { reward: 'rwd_1', mode: 'test' })).toEqual([200, 'ok']);
    expect(await send(url, 'd-2', { reward: 'rwd_2', mode: 'test', test: true })).toEqual([
      200,
      'test_event',
    ]);
    expect([tests, handled]).toEqual([['reward.issue'], [['d-1', 3000]]]);
  });

  it.each(frameworks)(
    'answers "ignored": true for a type that it has no function for, and does not remember it, in %s',
    async (_where, mount) => {
      const granted: string[] = [];
      const { all } = noting({
        onEvent: { 'reward.issue': ({ data }) => void granted.push(data.reward.id) },
      });
      const url = await serve(await mount(all));
      expect(await send(url, 'd-1', { reward: 'rwd_1' })).toEqual([200, 'ok']);
      for (const event of ['reward.revoke', 'toString', 'later.type'])
        for (const id of ['d-2', 'd-2'])
          expect(await send(url, id, { reward: 'rwd_1', event })).toEqual([200, 'ignored', true]);
      expect(granted).toEqual(['rwd_1']);
    },
  );

  it.each([[undefined], [null], ['reward.issue'], [{}], [{ 'reward.issue': true }]])(
    'is not opened with %p for onEvent',
    (onEvent) => {
      expect(() => receiver({ onEvent: onEvent as never })).toThrow(TypeError);
    },
  );

  it('does not take a text for acceptTestSide: true', async () => {
    const { handle, handled } = receiver({ acceptTestSide: 'false' as unknown as boolean });
    const url = await serve((...both) => void handle(...both));
    expect(await send(url, 'd-1', { reward: 'rwd_1', mode: 'test' })).toEqual([200, 'test_event']);
    expect(handled).toEqual([]);
  });

  it('leaves the parsers of other routes of a Fastify app alone', async () => {
    const url = await serve(await ofFastify(noting().all));
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(new URL('/other', url), { method: 'POST', headers, body: '{"a":1}' });
    expect([answer.status, await answer.json()]).toEqual([200, { a: 1 }]);
  });

  it('does not handle a recorded request again, even with other unsigned headers', async () => {
    const { handle, handled } = receiver();
    const url = await serve((...both) => void handle(...both));
    expect(await send(url, 'd-1', { reward: 'rwd_1' })).toEqual([200, 'ok']);
    for (const id of ['d-2', 'd-3', 'd-4'])
      expect(await send(url, id, { reward: 'rwd_1', standard: false })).toEqual([400, 'missing_timestamp']);
    expect(handled).toHaveLength(1);
  });

  it('recognises a repeated reward under any delivery id and URL where no timestamp is required', async () => {
    const { handle, handled } = receiver({ requireTimestamp: false });
    const url = await serve((...both) => void handle(...both));
    const ids = ['d-1', 'd-2', 'd-3', 'd-1'];
    const answers = ids.map((id, index) => send(url, id, { reward: 'rwd_1', standard: index % 2 === 0 }));
    const codes = (await Promise.all(answers)).map(([, code]) => String(code)).toSorted();
    expect(codes).toEqual(['duplicate', 'duplicate', 'duplicate', 'ok']);
    expect(await send(url, 'd-5', { reward: 'rwd_1', event: 'reward.revoke' })).toEqual([200, 'ok']);
    expect(handled).toHaveLength(2);
  });

  it('passes the transaction that stores the key to the handler', async () => {
    const contexts: unknown[] = [];
    const handle = webhookReceiver<{ client: string }>({
      secrets: [secret],
      handled: {
        async once(_key, work) {
          await work({ client: 'of this transaction' });
          return true;
        },
      },
      onEvent: (_event, context) => contexts.push(context),
    });
    expect(await send(await serve((...both) => void handle(...both)), 'd-1', { reward: 'rwd_1' })).toEqual([
      200,
      'ok',
    ]);
    const transaction = { client: 'of this transaction' };
    expect(contexts).toEqual([{ key: 'reward.issue rwd_1', deliveryId: 'd-1', transaction }]);
  });

  it('answers 400 and the reason when the request is not verified', async () => {
    const { handle, handled } = receiver();
    const url = await serve((request, response) => void handle(request, response));
    expect(await send(url, 'd-1', { key: generateSigningSecret() })).toEqual([400, 'wrong_signature']);
    const unsigned = await fetch(url, { method: 'POST', body: '{}' });
    expect([unsigned.status, await unsigned.json()]).toEqual([
      400,
      { code: 'missing_signature', message: 'webhook-signature and X-Service-Signature are both missing' },
    ]);
    expect(handled).toEqual([]);
  });

  it('uses the given clock', async () => {
    const { handle } = receiver({ now: () => Date.now() + 400_000 });
    expect(await send(await serve((...both) => void handle(...both)), 'd-1')).toEqual([400, 'too_old']);
  });

  it('answers 500 when the handler fails, and handles the retry', async () => {
    let calls = 0;
    const { handle, errors } = receiver({
      onEvent: async () => {
        if (++calls === 1) throw new Error('database away');
      },
    });
    const url = await serve((request, response) => void handle(request, response));
    expect(await send(url, 'd-1')).toEqual([500, 'handler_failed']);
    expect(await send(url, 'd-1')).toEqual([200, 'ok']);
    expect(await send(url, 'd-1')).toEqual([200, 'duplicate']);
    expect([calls, errors]).toEqual([2, [new Error('database away')]]);
  });

  it('makes a duplicate wait for the first request and answers both alike', async () => {
    let calls = 0;
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise<void>((_resolve, reject) => (fail = reject));
    let started: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (started = resolve));
    let arrived = 0;
    const { handle } = receiver({
      onEvent: () => {
        calls += 1;
        started();
        return work;
      },
    });
    const url = await serve((request, response) => {
      // The duplicate has been read by the time its response is made to wait.
      void handle(request, response);
      request.on('end', () => ++arrived === 2 && setImmediate(() => fail(new Error('rolled back'))));
    });
    const first = send(url, 'd-1');
    await beginning;
    expect(await Promise.all([first, send(url, 'd-1')])).toEqual([
      [500, 'handler_failed'],
      [500, 'handler_failed'],
    ]);
    expect(calls).toBe(1);
  });

  it('answers even if the error handler throws', async () => {
    const thrown: Promise<unknown>[] = [];
    const { handle } = receiver({
      onEvent: () => Promise.reject(new Error('database away')),
      onError: () => {
        throw new Error('log away');
      },
    });
    const url = await serve(
      (...both) => void thrown.push(handle(...both).catch((error: Error) => error.message)),
    );
    expect(await send(url, 'd-1')).toEqual([500, 'handler_failed']);
    expect(await thrown[0]).toBe('log away');
  });

  it('answers 500 when the key cannot be stored', async () => {
    const { handle, handled } = receiver({ handled: { once: () => Promise.reject(new Error('away')) } });
    expect(await send(await serve((...both) => void handle(...both)), 'd-1')).toEqual([
      500,
      'handler_failed',
    ]);
    expect(handled).toEqual([]);
  });

  it.each<[string, object]>([
    ['no secret', { secrets: [] }],
    ['an empty secret', { secrets: [''] }],
    ['the prefix of a secret alone', { secrets: ['whsec_'] }],
    ['a secret that is not set', { secrets: [secret, undefined] }],
    ['a secret that is in no list', { secrets: secret }],
    ['a tolerance in text', { toleranceSeconds: '300' }],
    ['no memory', { handled: undefined }],
    ['no work', { onEvent: undefined }],
  ])('throws when it is created with %s', (_what, options) => {
    expect(() => receiver(options)).toThrow(TypeError);
  });

  it('answers body_not_raw when the body was parsed before', async () => {
    const { handle, handled } = receiver();
    const url = await serve(express().use(express.json()).post('/hooks', handle));
    expect(await send(url, 'd-1')).toEqual([500, 'body_not_raw']);
    expect(handled).toEqual([]);
  });

  it('takes no text for raw bytes, and reads no stream twice', async () => {
    const { handle, handled } = receiver();
    const keepText = (request: IncomingMessage & { rawBody?: string }, _response: unknown, bytes: Buffer) => {
      request.rawBody = bytes.toString();
    };
    const url = await serve(
      express()
        .use(express.json({ verify: keepText }))
        .post('/hooks', handle),
    );
    expect(await send(url, 'd-1')).toEqual([500, 'body_not_raw']);
    const drained = await serve(async (request, response) => {
      for await (const chunk of request) void chunk;
      await handle(request, response);
    });
    expect(await send(drained, 'd-1')).toEqual([500, 'body_not_raw']);
    expect(handled).toEqual([]);
  });

  it('reads headers that only headers has, and none that headersDistinct has twice', async () => {
    const { handle } = receiver();
    const asOnLambda = async (request: IncomingMessage, response: Parameters<RequestListener>[1]) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const twice = request.headers['x-twice'] && { 'webhook-timestamp': ['1', '2'] };
      const { headers } = request;
      const body = Buffer.concat(chunks);
      await handle(
        { headers, headersDistinct: { ...twice }, body, [Symbol.asyncIterator]: undefined as never },
        response,
      );
    };
    const url = await serve((...both) => void asOnLambda(...both));
    expect(await send(url, 'd-1')).toEqual([200, 'ok']);
    const body = Buffer.from('{"id":"evt_1","type":"reward.issue"}');
    const headers = { ...signWebhook({ body, secrets: [secret] }), 'x-twice': '1' };
    const answer = await fetch(url, { method: 'POST', body, headers });
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: 'duplicate_header' }]);
  });

  it('rejects a body above its limit', async () => {
    const { handle, handled } = receiver({ maxBodyBytes: 1000 });
    const url = await serve((request, response) => void handle(request, response));
    expect(await send(url, 'd-1', { size: 2000 })).toEqual([413, 'body_too_large']);
    expect(handled).toEqual([]);
  });

  it('tolerates an incomplete body', async () => {
    const { handle, handled } = receiver();
    const done: Promise<void>[] = [];
    const url = await serve((request, response) => void done.push(handle(request, response)));
    const request = httpRequest(url, { method: 'POST', headers: { 'content-length': 100 } });
    request.on('error', () => undefined).write('half');
    await once(servers[0] as Server, 'request');
    request.destroy();
    await done[0];
    expect(handled).toEqual([]);
  });
});
