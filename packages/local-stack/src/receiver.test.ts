import { createHmac } from 'node:crypto';
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

  it('stops waiting at the deadline', async () => {
    receiver = await startReceiver();
    await expect(receiver.waitFor(() => false, 50)).rejects.toThrow(`timed out after ${scaled(50)} ms`);
  });
});
