import { once } from 'node:events';
import { createServer, request as httpRequest, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { deliveryHeaders } from '../delivery-headers.ts';
import { generateSigningSecret } from '../signing-secret.ts';
import { seenInMemory } from './seen-deliveries.ts';
import { webhookReceiver, type WebhookReceiverOptions } from './webhook-receiver.ts';

type Reward = { amount: number };
const secret = generateSigningSecret();
const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close().closeAllConnections()));

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}

function receiver(options: Partial<WebhookReceiverOptions<Reward>> = {}) {
  const handled: [string, number][] = [];
  const errors: unknown[] = [];
  const handle = webhookReceiver<Reward>({
    secrets: [secret],
    seen: seenInMemory(),
    onEvent: (event, { deliveryId }) => handled.push([deliveryId, event.data.amount]),
    onError: (error) => errors.push(error),
    ...options,
  });
  return { handle, handled, errors };
}

async function send(
  url: string,
  deliveryId: string,
  { key = secret, size = 0, type = 'application/json' } = {},
) {
  const data = { amount: 3000, padding: 'x'.repeat(size) };
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', type: 'reward.issue', created_at: '', data }));
  const signing = { primary: key, all: [key] };
  const timestampSeconds = Math.floor(Date.now() / 1000);
  const made = { eventType: 'reward.issue', deliveryId, attempt: 1, body, signing, timestampSeconds };
  const headers = { ...deliveryHeaders(made), 'content-type': type };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return [answer.status, ((await answer.json()) as { code: string }).code];
}

describe('webhookReceiver', () => {
  it.each<[string, (handle: ReturnType<typeof receiver>['handle']) => RequestListener]>([
    ['node:http', (handle) => (request, response) => void handle(request, response)],
    ['Express', (handle) => express().post('/hooks', handle)],
    [
      'Express behind express.raw',
      (handle) => express().post('/hooks', express.raw({ type: '*/*' }), handle),
    ],
    ['Express before express.json', (handle) => express().post('/hooks', handle).use(express.json())],
  ])('hands an event over once, and answers 200 to duplicates, in %s', async (_where, listener) => {
    const { handle, handled } = receiver();
    const url = await serve(listener(handle));
    expect(await send(url, 'd-1')).toEqual([200, 'ok']);
    expect(await send(url, 'd-1')).toEqual([200, 'duplicate']);
    expect(await send(url, 'd-2')).toEqual([200, 'ok']);
    expect(handled).toEqual([
      ['d-1', 3000],
      ['d-2', 3000],
    ]);
  });

  it('answers 400 and the reason when the request is not verified', async () => {
    const { handle, handled } = receiver({ requireTimestamp: true });
    const url = await serve((request, response) => void handle(request, response));
    expect(await send(url, 'd-1', { key: generateSigningSecret() })).toEqual([400, 'wrong_signature']);
    const unsigned = await fetch(url, { method: 'POST', body: '{}' });
    expect([unsigned.status, await unsigned.json()]).toEqual([
      400,
      { code: 'missing_signature', message: 'neither webhook-signature nor X-Service-Signature is there' },
    ]);
    expect(handled).toEqual([]);
  });

  it('counts time by the clock it is given', async () => {
    const { handle } = receiver({ now: () => Date.now() + 400_000 });
    expect(await send(await serve((...both) => void handle(...both)), 'd-1')).toEqual([400, 'too_old']);
  });

  it('answers 500 when the work fails, and takes the retry for the first one', async () => {
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

  it('lets a duplicate wait for the first one and share its fate', async () => {
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

  it('answers 500 when it cannot remember', async () => {
    const seen = { firstTime: () => Promise.reject(new Error('away')), forget: () => Promise.resolve() };
    const { handle, handled } = receiver({ seen });
    expect(await send(await serve((...both) => void handle(...both)), 'd-1')).toEqual([
      500,
      'handler_failed',
    ]);
    expect(handled).toEqual([]);
  });

  it('takes the retry for the first one even when it could not forget, and tells both errors', async () => {
    const seen = seenInMemory();
    let [works, forgets] = [0, 0];
    const { handle, errors } = receiver({
      seen: {
        firstTime: seen.firstTime,
        // As somebody writes it in JavaScript: it throws at once, and returns nothing.
        forget: ((id: string) => {
          if (++forgets < 3) throw new Error('store away');
          void seen.forget(id);
        }) as unknown as typeof seen.forget,
      },
      onEvent: () => {
        if (++works === 1) throw new Error('database away');
      },
    });
    const url = await serve((request, response) => void handle(request, response));
    expect(await send(url, 'd-1')).toEqual([500, 'handler_failed']);
    expect(await send(url, 'd-1')).toEqual([500, 'handler_failed']);
    expect(await send(url, 'd-1')).toEqual([200, 'ok']);
    expect(await send(url, 'd-1')).toEqual([200, 'duplicate']);
    expect([works, errors.join()]).toEqual([2, 'Error: store away,Error: database away,Error: store away']);
  });

  it.each([
    ['no secret', []],
    ['an empty secret', ['']],
    ['a secret that is not set', [secret, undefined]],
    ['a secret that is in no list', secret],
  ])('is not made with %s', (_what, secrets) => {
    expect(() => receiver({ secrets: secrets as string[] })).toThrow(
      /^secrets must be a list of at least one/,
    );
  });

  it('says so when somebody has parsed the body before it', async () => {
    const { handle, handled } = receiver();
    const url = await serve(express().use(express.json()).post('/hooks', handle));
    expect(await send(url, 'd-1')).toEqual([500, 'body_not_raw']);
    expect(handled).toEqual([]);
  });

  it('reads no more than it must', async () => {
    const { handle, handled } = receiver({ maxBodyBytes: 1000 });
    const url = await serve((request, response) => void handle(request, response));
    expect(await send(url, 'd-1', { size: 2000 })).toEqual([413, 'body_too_large']);
    expect(handled).toEqual([]);
  });

  it('survives a body that breaks off', async () => {
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
