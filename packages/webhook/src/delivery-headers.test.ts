import { deliveryHeaders } from './delivery-headers.ts';
import { generateSigningSecret, signBody, standardSignature } from './signatures.ts';

const body = Buffer.from('{"id":"evt_1"}');
const delivery = {
  eventType: 'reward.issue',
  deliveryId: '0b9d7c2e-6f0e-4c57-8a3c-0f5a1c2d3e4f',
  attempt: 3,
  body,
  timestampSeconds: 1_700_000_000,
};

describe('deliveryHeaders', () => {
  it('returns the headers of the contract, the attempt and the three of Standard Webhooks', () => {
    const [newSecret, oldSecret] = [generateSigningSecret(), generateSigningSecret()];
    const signing = { primary: newSecret, all: [newSecret, oldSecret] };
    expect(deliveryHeaders({ ...delivery, signing })).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Rewardhook/1',
      'X-Service-Event': 'reward.issue',
      'X-Service-Delivery': delivery.deliveryId,
      'X-Service-Attempt': '3',
      'X-Service-Signature': signBody(newSecret, body),
      'webhook-id': delivery.deliveryId,
      'webhook-timestamp': '1700000000',
      'webhook-signature': standardSignature({
        id: delivery.deliveryId,
        timestampSeconds: 1_700_000_000,
        body,
        secrets: signing.all,
      }),
    });
  });

  it('returns no signature headers when no signing key is registered', () => {
    const names = Object.keys(deliveryHeaders(delivery));
    expect(names).not.toContain('X-Service-Signature');
    expect(names).not.toContain('webhook-signature');
    expect(names).toContain('webhook-id');
  });
});
