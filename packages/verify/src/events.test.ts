import { eventCatalogue, eventTypes } from '@rewardhook/contract';
import type { WebhookEvent as ContractEvent } from '@rewardhook/contract';
import { generateSigningSecret } from '@rewardhook/webhook';
import type { FeedEvent } from '@rewardhook/node';
import type { Same } from '@rewardhook/testing';
import { signWebhook, verifyWebhook } from './index.ts';
import type { WebhookEvent } from './index.ts';

/** Compiles only while each declaration is the same as the schema that is published. */
const areSame: [Same<WebhookEvent, ContractEvent>, Same<FeedEvent, ContractEvent>] = [true, true];

/** Compiles only if every type of event is handled. */
function amountOf(event: WebhookEvent): number {
  switch (event.type) {
    case 'reward.issue':
      return event.data.reward.amount;
    case 'reward.revoke':
      return event.data.reason === '' ? 0 : -event.data.reward.amount;
    case 'endpoint.failing':
    case 'endpoint.disabling_soon':
    case 'endpoint.disabled':
      return event.data.endpoint.url === '' ? event.data.failures_in_a_row : 0;
    case 'webhook.ping':
      return 0;
  }
}

describe('The event types of @rewardhook/verify', () => {
  it('The types of verify, node and the service are the same', () => expect(areSame).toEqual([true, true]));

  it.each(eventTypes)('The sample of %s in the catalogue is verified, and has its type', (type) => {
    const { sample } = eventCatalogue[type];
    const typed: WebhookEvent = sample;
    const secrets = [generateSigningSecret()];
    const body = Buffer.from(JSON.stringify(sample));
    const verified = verifyWebhook({ headers: signWebhook({ body, secrets }), body, secrets });
    expect(verified).toMatchObject({ ok: true, event: sample, isTest: false });
    const ofTestSide = Buffer.from(JSON.stringify({ ...sample, mode: 'test' }));
    const headers = signWebhook({ body: ofTestSide, secrets });
    const input = { headers, body: ofTestSide, secrets };
    expect(verifyWebhook(input)).toMatchObject({ ok: true, event: { mode: 'test' }, isTest: true });
    expect(verifyWebhook({ ...input, acceptTestSide: true })).toMatchObject({ ok: true, isTest: false });
    expect(amountOf(typed)).toBe(type === 'reward.issue' ? 3000 : type === 'reward.revoke' ? -3000 : 0);
  });
});

it('A webhook cannot be signed without a secret', () => {
  expect(() => signWebhook({ body: Buffer.from('{}'), secrets: [] })).toThrow(
    new TypeError('secrets must be a list of at least one signing secret'),
  );
});
