import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { deliveryHeaders, generateSigningSecret, signBody } from '@rewardhook/webhook';
import { webhookHandler } from './edge.ts';
import { handledInMemory } from './handled-events.ts';
import { signWebhook } from './sign-webhook.ts';
import type { WebhookVerificationInput } from './verify-input.ts';
import { verifyWebhook } from './verify-webhook.ts';
import { webhookReceiver } from './webhook-receiver.ts';

const [oldSecret, newSecret] = [generateSigningSecret(), generateSigningSecret()];
const timestampSeconds = 1_800_000_000;
const now = timestampSeconds * 1000;
const deliveryId = '0b9d7c2e-6f0e-4c57-8a3c-0f5a1c2d3e4f';
const event = {
  id: 'evt_1',
  type: 'reward.issue',
  created_at: '2027-01-15T08:00:00Z',
  data: { note: '보상' },
};
const body = Buffer.from(JSON.stringify(event));

function signed(secrets = [newSecret], sent = body): Record<string, string> {
  const signing = { primary: secrets[0] ?? '', all: secrets };
  return deliveryHeaders({
    eventType: 'reward.issue',
    deliveryId,
    attempt: 1,
    body: sent,
    signing,
    timestampSeconds,
  });
}

function without(headers: Record<string, string>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

const standardHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const contractOnly = (headers = signed()): Record<string, string> => without(headers, ...standardHeaders);
const verify = (input: Partial<WebhookVerificationInput>) =>
  verifyWebhook({ headers: signed(), body, secrets: [newSecret], now, ...input });

describe('verifyWebhook', () => {
  it('accepts a request of the sender and returns its event', () => {
    const key = 'reward.issue evt_1';
    expect(verify({})).toEqual({ ok: true, event, isTest: false, key, deliveryId, signedBy: 'standard' });
  });

  it('rejects a recorded request without its webhook headers, with a message that gives the solution', () => {
    const headers = { ...contractOnly(), 'X-Service-Delivery': 'another' };
    for (const requireTimestamp of [undefined, true, null, 'false', 0]) {
      const refused = verify({ headers, requireTimestamp: requireTimestamp as boolean });
      expect(refused).toEqual({
        ok: false,
        reason: 'missing_timestamp',
        message: expect.stringMatching(/through your proxy, or set requireTimestamp to false/),
      });
    }
  });

  it('accepts the signature of the contract alone where no timestamp is required', () => {
    expect(verify({ headers: contractOnly(), requireTimestamp: false })).toEqual({
      ok: true,
      event,
      isTest: false,
      key: 'reward.issue evt_1',
      deliveryId,
      signedBy: 'contract',
    });
  });

  it('computes the key from the event type and the reward, or else the event id, and from no header', () => {
    const keyOf = (sent: object, changes = {}) => {
      const bytes = Buffer.from(JSON.stringify({ ...event, ...sent }));
      const headers = { ...contractOnly(signed([newSecret], bytes)), ...changes };
      const found = verify({ headers, body: bytes, requireTimestamp: false });
      return found.ok && found.key;
    };
    const data = { reward: { id: 'rwd_1' } };
    expect(keyOf({ data })).toBe('reward.issue rwd_1');
    expect(keyOf({ data, id: 'evt_2' }, { 'X-Service-Delivery': 'x' })).toBe('reward.issue rwd_1');
    expect(keyOf({ data, type: 'reward.revoke' }, { 'X-Service-Event': 'reward.issue' })).toBe(
      'reward.revoke rwd_1',
    );
    for (const other of [
      {},
      null,
      { reward: null },
      { reward: { id: '' } },
      { reward: { id: 7 } },
      undefined,
    ])
      expect(keyOf({ data: other })).toBe('reward.issue evt_1');
  });

  it('gives the time difference of a request that is too old or too new', () => {
    expect(verify({ now: now + 400_000 })).toMatchObject({
      message: expect.stringContaining('(400 s apart, 300 s'),
    });
    expect(verify({ now: now - 400_000 })).toMatchObject({
      message: expect.stringContaining('your clock is slow'),
    });
  });

  it('accepts the Standard Webhooks headers alone', () => {
    const headers = without(signed(), 'X-Service-Signature', 'X-Service-Delivery');
    expect(verify({ headers })).toMatchObject({ ok: true, deliveryId, signedBy: 'standard' });
  });

  it.each([
    ['with the old secret only', [oldSecret]],
    ['with the new secret only', [newSecret]],
    ['with both, in any order', [oldSecret, newSecret]],
  ])('accepts a rotation’s two signatures %s', (_how, secrets) => {
    expect(verify({ headers: signed([newSecret, oldSecret]), secrets })).toMatchObject({ ok: true });
    expect(verify({ headers: signed([oldSecret, newSecret]), secrets })).toMatchObject({ ok: true });
  });

  it('accepts headers of fetch, of Node and in any case', () => {
    for (const headers of [
      new Headers(signed()),
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toLowerCase(), [value]])),
      Object.fromEntries(Object.entries(signed()).map(([name, value]) => [name.toUpperCase(), value])),
    ]) {
      expect(verify({ headers })).toMatchObject({ ok: true, deliveryId });
    }
  });

  it.each<[string, string, Partial<WebhookVerificationInput>]>([
    ['no header at all', 'missing_signature', { headers: {} }],
    ['headers in a list', 'missing_signature', { headers: Object.entries(signed()).flat() as never }],
    ['a signature that is no text', 'missing_signature', { headers: { 'webhook-signature': 7 } as never }],
    [
      'one header in two spellings',
      'duplicate_header',
      { headers: { 'x-service-signature': 'a', 'X-Service-Signature': 'a' } },
    ],
    [
      'twenty signatures before the right one',
      'wrong_signature',
      {
        headers: {
          ...signed(),
          'webhook-signature': `${'v1,AAAA '.repeat(20)}${signed()['webhook-signature'] ?? ''}`,
        },
      },
    ],
    ['an empty signature', 'missing_signature', { headers: { 'x-service-signature': '' } }],
    ['two signature headers', 'duplicate_header', { headers: { 'x-service-signature': ['a', 'b'] } }],
    ...[...standardHeaders, 'X-Service-Signature', 'X-Service-Delivery'].flatMap(
      (name): [string, string, object][] => [
        [
          `${name} twice, as Node joins them`,
          'duplicate_header',
          { headers: { ...signed(), [name]: `${signed()[name] ?? ''}, ${signed()[name] ?? ''}` } },
        ],
        [
          `${name} twice, as fetch joins them`,
          'duplicate_header',
          { headers: new Headers([...Object.entries(signed()), [name, signed()[name] ?? '']]) },
        ],
        [
          `${name} twice, in a list`,
          'duplicate_header',
          { headers: { ...signed(), [name]: [signed()[name] ?? '', 'other'] } },
        ],
      ],
    ),
    [
      'a list of signatures with something else in it',
      'malformed_signature',
      {
        headers: {
          ...signed(),
          'webhook-signature': `${signed()['webhook-signature'] ?? ''} sha256=00`,
        },
      },
    ],
    [
      'a signature with other bits in the last character of its base64',
      'wrong_signature',
      {
        headers: {
          ...signed(),
          'webhook-signature': (signed()['webhook-signature'] ?? '').replace(/.=$/, (end) =>
            end === 'B=' ? 'C=' : 'B=',
          ),
        },
      },
    ],
    ['a body above the limit', 'body_too_large', { maxBodyBytes: body.length - 1 }],
    ['another body', 'wrong_signature', { body: Buffer.from('{"id":"evt_2","type":"reward.issue"}') }],
    ['another secret', 'wrong_signature', { secrets: [oldSecret] }],
    [
      'a contract signature by another secret',
      'wrong_signature',
      { headers: contractOnly(), secrets: [oldSecret] },
    ],
    [
      'hex in capitals',
      'malformed_signature',
      { headers: { 'X-Service-Signature': signBody(newSecret, body).toUpperCase() } },
    ],
    [
      'hex without its prefix',
      'malformed_signature',
      { headers: { 'X-Service-Signature': signBody(newSecret, body).slice(7) } },
    ],
    [
      'Standard Webhooks headers without the id',
      'missing_delivery_id',
      { headers: without(signed(), 'webhook-id') },
    ],
    [
      'no delivery id',
      'missing_delivery_id',
      { headers: without(contractOnly(), 'X-Service-Delivery'), requireTimestamp: false },
    ],
    [
      'Standard Webhooks headers without the timestamp',
      'missing_timestamp',
      { headers: without(signed(), 'webhook-timestamp') },
    ],
    ['no signed time', 'missing_timestamp', { headers: contractOnly() }],
    ...[
      '1e9',
      ' 1800000000',
      '1800000000 ',
      '+1800000000',
      '-1800000000',
      '01800000000',
      '0x6b49d200',
      '１８００００００００',
      '1,8e9',
    ].map((text): [string, string, object] => [
      `the time ${JSON.stringify(text)}`,
      'malformed_timestamp',
      { headers: { ...signed(), 'webhook-timestamp': text } },
    ]),
    ['a time in words', 'malformed_timestamp', { headers: { ...signed(), 'webhook-timestamp': 'now' } }],
    [
      'a fraction of a second',
      'malformed_timestamp',
      { headers: { ...signed(), 'webhook-timestamp': `${timestampSeconds}.0` } },
    ],
    [
      'a time that was changed',
      'wrong_signature',
      { headers: { ...signed(), 'webhook-timestamp': `${timestampSeconds + 1}` } },
    ],
    [
      'a contract id that is not the signed one',
      'mismatched_delivery_id',
      { headers: { ...signed(), 'X-Service-Delivery': 'another' } },
    ],
    [
      'both ids changed, although the contract’s signature is right',
      'wrong_signature',
      { headers: { ...signed(), 'X-Service-Delivery': 'another', 'webhook-id': 'another' } },
    ],
    [
      'a version that is not v1',
      'wrong_signature',
      {
        headers: {
          ...signed(),
          'webhook-signature': (signed()['webhook-signature'] ?? '').replace('v1,', 'v2,'),
        },
      },
    ],
    ['a time 301 s ago', 'too_old', { now: now + 301_000 }],
    ['a time 301 s ahead', 'too_new', { now: new Date(now - 301_000) }],
    ['a time out of a tolerance of one’s own', 'too_old', { now: now + 11_000, toleranceSeconds: 10 }],
  ])('rejects %s', (_what, reason, input) => {
    expect(verify(input)).toEqual({ ok: false, reason, message: expect.any(String) });
  });

  it('marks test events, also those whose mark is another value than true', () => {
    for (const [test, isTest] of [
      [true, true],
      ['true', true],
      [1, true],
      [null, true],
      [false, false],
      [undefined, false],
    ] as const) {
      const sent = Buffer.from(JSON.stringify({ ...event, test }));
      expect(verify({ headers: signed([newSecret], sent), body: sent })).toMatchObject({ ok: true, isTest });
    }
  });

  it('accepts a time at the end of the tolerance, either way', () => {
    for (const offset of [-300_000, 300_000])
      expect(verify({ now: now + offset })).toMatchObject({ ok: true });
  });

  it.each([
    ['text', Buffer.from('granted')],
    ['JSON that is no event', Buffer.from('[1]')],
    ['null', Buffer.from('null')],
    ['bytes that are not UTF-8', Buffer.from('{"id":"\xff","type":"a"}', 'latin1')],
  ])('rejects %s with a valid signature as a malformed event', (_what, sent) => {
    expect(verify({ headers: signed([newSecret], sent), body: sent })).toMatchObject({
      reason: 'malformed_event',
    });
  });

  it.each<[string, object]>([
    ['no secret', { secrets: [] }],
    ['a variable that is not set', { secrets: [undefined] }],
    ['an empty secret', { secrets: [newSecret, ''] }],
    ['the prefix of a secret alone', { secrets: [newSecret, 'whsec_'] }],
    ['a secret that is no base64', { secrets: ['whsec_change me, please, before you go live'] }],
    ['a secret that is too short', { secrets: ['whsec_c2VjcmV0'] }],
    ['one secret that is in no list', { secrets: newSecret }],
    ['a body that was parsed', { body: event }],
    ['a body that was decoded', { body: body.toString() }],
    ['a tolerance that is no number', { toleranceSeconds: NaN }],
    ['a tolerance in text', { toleranceSeconds: '300' }],
    ['a size in text', { maxBodyBytes: '1000' }],
    ['a clock that is broken', { now: new Date(NaN) }],
  ])('throws for %s', (_what, input) => {
    expect(() => verify(input as Partial<WebhookVerificationInput>)).toThrow(TypeError);
  });

  it.each([
    ['secrets[0]', [undefined]],
    ['secrets[1]', [newSecret, undefined]],
    ['secrets[1]', [newSecret, '']],
  ])('says that %s is missing, as when a variable is not set', (name, secrets) => {
    const message = `${name} is missing: is its environment variable set?`;
    const options = { secrets, handled: handledInMemory(), onEvent: () => undefined };
    for (const use of [
      () => verify({ secrets }),
      () => signWebhook({ body, secrets }),
      () => webhookReceiver(options),
      () => webhookHandler(options),
    ])
      expect(use).toThrow(new TypeError(message));
  });

  it('rejects any changed byte of the body, the id, the time or the signature', () => {
    const parts = ['body', 'webhook-id', 'webhook-timestamp', 'webhook-signature'];
    fc.assert(
      fc.property(
        fc.constantFrom(...parts),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (part, at, change) => {
          const headers = without(signed(), 'X-Service-Delivery');
          const bytes = part === 'body' ? Buffer.from(body) : Buffer.from(headers[part] ?? '');
          bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ change;
          const changed =
            part === 'body'
              ? { headers, body: bytes }
              : { headers: { ...headers, [part]: bytes.toString('latin1') } };
          expect(verify(changed).ok).toBe(false);
        },
      ),
      { numRuns: propertyCases(100) },
    );
  });
});
