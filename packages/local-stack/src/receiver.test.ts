import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import { scaled } from './time-scale.ts';

describe('startReceiver', () => {
  const secret = 'a-signing-secret';
  const body = '{"type":"reward.issue",  "amount":3000}';
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  let receiver: Receiver;
  afterEach(() => receiver.close());

  const send = (headers: Record<string, string>, sent = body) =>
    fetch(`${receiver.url}/hook`, { method: 'POST', body: sent, headers });

  it('stores the raw bytes and the headers, and verifies the signature over the bytes', async () => {
    receiver = await startReceiver({ signingSecret: secret });
    const answer = await send({
      'x-service-event': 'reward.issue',
      'x-service-delivery': 'd-1',
      'x-service-signature': signature,
    });
    expect(answer.status).toBe(204);
    const [webhook] = receiver.received;
    expect(webhook).toMatchObject({
      path: '/hook',
      event: 'reward.issue',
      deliveryId: 'd-1',
      verified: true,
    });
    expect(webhook?.rawBody.toString()).toBe(body);
  });

  it.each([
    ['a missing signature', {}, body],
    ['an uppercase one', { 'x-service-signature': signature.toUpperCase() }, body],
    ['a body changed on the way', { 'x-service-signature': signature }, body.replace('3000', '9000')],
    ['a re-serialized body', { 'x-service-signature': signature }, JSON.stringify(JSON.parse(body))],
  ])('does not verify %s', async (_, headers, sent) => {
    receiver = await startReceiver({ signingSecret: secret });
    await send(headers as Record<string, string>, sent);
    expect(receiver.received[0]?.verified).toBe(false);
  });

  it('responds with the configured status and finds the expected webhook', async () => {
    receiver = await startReceiver({ respond: (webhook) => (webhook.deliveryId === 'd-2' ? 503 : 200) });
    const found = receiver.waitFor((webhook) => webhook.deliveryId === 'd-2');
    expect((await send({ 'x-service-delivery': 'd-1' })).status).toBe(200);
    expect((await send({ 'x-service-delivery': 'd-2' })).status).toBe(503);
    expect((await found).verified).toBeUndefined();
  });

  it('responds with the configured headers and body, also one that comes in pieces', async () => {
    receiver = await startReceiver({
      respond: ({ deliveryId }) => ({
        status: 429,
        headers: { 'retry-after': '3' },
        body: deliveryId === 'd-1' ? 'later' : Readable.from(['la', 'ter']),
      }),
    });
    for (const delivery of ['d-1', 'd-2']) {
      const answer = await send({ 'x-service-delivery': delivery });
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '3']);
      expect(await answer.text()).toBe('later');
    }
  });

  it('records when a request arrived, and when its response was sent', async () => {
    receiver = await startReceiver({ respond: () => 503 });
    const ended = new Promise((resolve) => receiver.onEnded(resolve));
    const before = new Date();
    await send({});
    const [webhook] = receiver.received;
    expect(await ended).toBe(webhook);
    expect(webhook?.answered?.status).toBe(503);
    const times = [before, webhook?.receivedAt, webhook?.answered?.at, webhook?.endedAt, new Date()].map(
      Number,
    );
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('records no response for a request whose sender gave up before, and when that was', async () => {
    let respond = (_status: number) => undefined as void;
    const answer = new Promise<number>((resolve) => (respond = resolve));
    receiver = await startReceiver({ respond: () => answer });
    const ended = new Promise((resolve) => receiver.onEnded(resolve));
    const abort = new AbortController();
    const sending = fetch(receiver.url, { method: 'POST', body, signal: abort.signal });
    const webhook = await receiver.waitFor(() => true);
    expect([webhook.answered, webhook.endedAt]).toEqual([undefined, undefined]);
    abort.abort();
    await expect(sending).rejects.toThrow('aborted');
    await ended;
    respond(200);
    await answer;
    await receiver.close();
    expect([webhook.answered, webhook.endedAt]).toEqual([undefined, expect.any(Date)]);
  });

  it('stops waiting at the deadline', async () => {
    receiver = await startReceiver();
    await expect(receiver.waitFor(() => false, 50)).rejects.toThrow(`timed out after ${scaled(50)} ms`);
  });
});
