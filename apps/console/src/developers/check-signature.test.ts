import { signBody, standardSignature } from '@rewardhook/webhook';
import { checkSignature } from './check-signature.ts';
import { parseHeaders } from './parse-headers.ts';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const old = 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
const body = '{"id":"evt_1","type":"reward.issue","data":{"amount":3000}}';
const nowSeconds = 1_800_000_000;

const check = (headers: Record<string, string>, received = body, stored?: string) =>
  checkSignature({
    headers: new Map(Object.entries(headers)),
    body: received,
    keys: [
      { id: 'sgk_new', secret, expired: false },
      { id: 'sgk_old', secret: old, expired: true },
    ],
    stored,
    nowSeconds,
  });
const service = (value: string) => ({ 'x-service-signature': value });
const standard = (timestampSeconds: number, by = secret) => ({
  'webhook-id': 'id',
  'webhook-timestamp': String(timestampSeconds),
  'webhook-signature': `v1,AAAA ${standardSignature({ id: 'id', timestampSeconds, body: Buffer.from(body), secrets: [by] })}`,
});

describe('The signature checker', () => {
  it.each([
    ['a right signature', service(signBody(secret, Buffer.from(body))), body, 'ok', true, 'sgk_new'],
    ['an expired key', service(signBody(old, Buffer.from(body))), body, 'expired_key', true, 'sgk_old'],
    ['another body', service(signBody(secret, Buffer.from('{}'))), body, 'no_match', false, null],
    ['another key', service(signBody('whsec_other', Buffer.from(body))), body, 'no_match', false, null],
    ['no header', {}, body, 'missing', false, null],
    ['capitals', service(signBody(secret, Buffer.from(body)).toUpperCase()), body, 'malformed', false, null],
    [
      'a line break at the end',
      service(signBody(secret, Buffer.from(body))),
      `${body}\n`,
      'trailing_newline',
      false,
      'sgk_new',
    ],
    [
      'JSON that was written again',
      service(signBody(secret, Buffer.from(body))),
      JSON.stringify(JSON.parse(body), null, 2),
      're_serialized',
      false,
      'sgk_new',
    ],
  ] as const)('The signature checker recognises %s', (_what, headers, received, why, matches, keyId) => {
    const [result] = check(headers, received);
    expect(result).toMatchObject({ header: 'X-Service-Signature', why, matches, key_id: keyId });
    expect(result?.fix === '').toBe(why === 'ok');
  });

  it('A body that was serialized in another order is recognised by its stored event', () => {
    const reordered = '{"type":"reward.issue","id":"evt_1","data":{"amount":3000}}';
    const headers = service(signBody(secret, Buffer.from(body)));
    expect(check(headers, reordered)[0]).toMatchObject({ why: 'no_match' });
    expect(check(headers, reordered, body)[0]).toMatchObject({ why: 're_serialized', key_id: 'sgk_new' });
  });

  it('The standard signature is verified with its id and timestamp', () => {
    const of = (headers: Record<string, string>) => check(headers)[1];
    expect(of(standard(nowSeconds - 299))).toMatchObject({ why: 'ok', key_id: 'sgk_new' });
    expect(of(standard(nowSeconds - 301))).toMatchObject({
      why: 'too_old',
      matches: true,
      fix: 'The signature is valid, but 301 s old. Receivers refuse more than 300 s.',
    });
    expect(of(standard(nowSeconds + 400))).toMatchObject({ fix: expect.stringContaining('400 s ahead') });
    expect(of({ ...standard(nowSeconds), 'webhook-id': 'other' })).toMatchObject({ why: 'no_match' });
    expect(of({ 'webhook-signature': 'v1,AAAA' })).toMatchObject({ why: 'malformed' });
    expect(of({ ...standard(nowSeconds), 'webhook-signature': 'nonsense' })).toMatchObject({
      why: 'malformed',
    });
  });

  it('Without webhook-signature the result explains that the receiver cannot detect repeated requests', () => {
    const right = service(signBody(secret, Buffer.from(body)));
    expect(check(right)).toHaveLength(1);
    const [contract, standardResult] = check({ ...right, 'x-service-delivery': 'd-1' });
    expect(contract).toMatchObject({ why: 'ok' });
    expect(standardResult).toMatchObject({
      header: 'webhook-signature',
      why: 'missing',
      fix: expect.stringContaining('a proxy removes them'),
    });
  });

  it.each([
    'X-Service-Signature: sha256=ab\r\nwebhook-id: 1',
    '> X-Service-Signature: sha256=ab\n> webhook-id: 1',
    '{\n  "x-service-signature": "sha256=ab",\n  "webhook-id": "1"\n}',
    "{ 'X-Service-Signature': 'sha256=ab',\n 'webhook-id': '1' }",
    '< X-Service-Signature :  sha256=ab  \n:method: POST\nno header\n\twebhook-id:1\n',
  ])('Headers are parsed in the format %j', (pasted) => {
    expect([...parseHeaders(pasted)]).toEqual([
      ['x-service-signature', 'sha256=ab'],
      ['webhook-id', '1'],
    ]);
  });

  it('A pasted signature without a header name is parsed', () => {
    expect([...parseHeaders(' sha256=ab \n')]).toEqual([['x-service-signature', 'sha256=ab']]);
  });
});
