import { buildOrder } from '@rewardhook/testing';
import { sendRaw } from '../../../tests/harness/raw-http.ts';
import { startFlow } from '../../../tests/harness/start-flow.ts';
import { syncPath } from '../../../tests/harness/call-api.ts';
import type { Flow } from '../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../tests/harness/open-merchant.ts';

describe('the API under hostile HTTP', () => {
  let flow: Flow;
  let merchant: Merchant;
  beforeAll(async () => {
    flow = await startFlow({ workers: false });
    merchant = await flow.openMerchant();
  });
  afterEach(async () => {
    // The server answers the next request, and nothing was queued.
    const before = await flow.queues.pending('sync');
    expect(before).toBe(0);
    const health = await fetch(`${flow.url}/health/ready`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
  });
  afterAll(() => flow.close());

  const valid = JSON.stringify({ orders: [buildOrder({ items: [] })] });
  const head = (fields: Record<string, string>, target = syncPath, version = '1.1', method = 'POST') =>
    [
      `${method} ${target} HTTP/${version}`,
      ...Object.entries({
        Host: 'api.example',
        'Content-Type': 'application/json',
        'X-Service-Key': merchant.secretKey,
        ...fields,
      }).map(([name, value]) => `${name}: ${value}`),
      '',
      '',
    ].join('\r\n');
  const sized = { 'Content-Length': String(Buffer.byteLength(valid)) };

  /** Sends raw bytes. The response must be an error in the contract's format. */
  async function refused(bytes: string | Buffer, end = false): Promise<[number | undefined, string]> {
    const { status, headers, body } = await sendRaw(flow.url, bytes, { end });
    if (status === undefined) return [undefined, ''];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers).toMatch(/^content-type: application\/json/im);
    expect(headers).toMatch(/^x-content-type-options: nosniff\r?$/im);
    expect(headers).not.toMatch(/^x-powered-by/im);
    const error = JSON.parse(body) as Record<string, unknown>;
    expect(error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect(error['request_id']).toMatch(/./);
    return [status, String(error['code'])];
  }

  it.each<[string, () => string | Buffer]>([
    ['noise', () => 'GARBAGE\r\n\r\n'],
    ['zero bytes', () => Buffer.alloc(600)],
    ['a TLS hello', () => Buffer.from('16030100c8010000c40303', 'hex')],
    ['an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', () => head(sized, syncPath, '9.9') + valid],
    ['an unknown method', () => head(sized, syncPath, '1.1', 'FETCH') + valid],
    ['a header without a colon', () => `POST ${syncPath} HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`],
    ['a NUL in a header', () => head({ ...sized, 'X-Odd': 'a\0b' }) + valid],
    ['a space before the colon', () => head({ ...sized, 'X-Odd ': 'a' }) + valid],
    ['two lengths', () => head({ ...sized, 'content-length': '3' }) + valid],
    ['a negative length', () => head({ 'Content-Length': '-1' }) + valid],
    ['a length that is no number', () => head({ 'Content-Length': 'many' }) + valid],
    [
      'a length and chunks (request smuggling)',
      () => head({ ...sized, 'Transfer-Encoding': 'chunked' }) + valid,
    ],
    ['chunks that are none', () => `${head({ 'Transfer-Encoding': 'chunked' })}zz\r\n${valid}\r\n0\r\n\r\n`],
    ['an unknown transfer encoding', () => head({ 'Transfer-Encoding': 'rot13' }) + valid],
    ['headers of 20 KB', () => head({ ...sized, 'X-Long': 'x'.repeat(20_000) }) + valid],
    ['no Host', () => `POST ${syncPath} HTTP/1.1\r\nX-Service-Key: no\r\n\r\n`],
    ['a strange Expect', () => head({ ...sized, Expect: 'a-miracle', 'X-Service-Key': 'no' }) + valid],
  ])('A request with %s gets a JSON 4xx', async (_what, bytes) => {
    const [status] = await refused(bytes());
    expect(status).toBeDefined();
  });

  it.each([
    ['percent garbage', `${syncPath}%ff%zz%`, 404],
    ['percent garbage in the path of a route', '/api/open/orders/%73ync%', 400],
    ['a NUL in the path', `${syncPath}%00`, 404],
    ['dots', '/api/open/members/../orders/sync', 404],
    ['empty segments', '//api//open//orders//sync', 404],
    ['__proto__', '/__proto__/constructor', 404],
    ['a path of 8 KB', `/${'a'.repeat(8_000)}`, 404],
    ['an absolute URL of another path', 'http://evil.example/elsewhere', 404],
    ['an asterisk', '*', 404],
    ['an absolute URL with a bad port', 'http://a:99999999/x', 404],
    ['an empty authority', 'http:///x', 404],
  ])('A request target with %s is refused', async (_what, target, expected) => {
    const code = expected === 404 ? 'not_found' : 'invalid_request';
    expect(await refused(head(sized, target) + valid)).toEqual([expected, code]);
  });

  it.each(['/r/%ff', '/r/%E0%A4%A', '/r/%00', '/r/..%2f..%2fetc%2fpasswd', `/r/${'x'.repeat(3_000)}`])(
    'The share link %s gets the page of a dead link',
    async (target) => {
      const { status, headers, body } = await sendRaw(flow.url, head({}, target, '1.1', 'GET'));
      expect(status).toBe(404);
      expect(headers).toMatch(/^content-type: text\/html; charset=utf-8/im);
      expect(body).toContain('This invitation link does not work');
    },
  );

  it.each([
    ['/api/open/orders/%00/explain/', 404],
    ['/api/open/orders/a%00b/explain', 404],
    ['/api/open/orders/%E0%A4%A/explain/', 400],
    ['/api/open/orders/%ED%A0%80/explain/', 400],
    ['/api/open/orders/%ff/explain/', 400],
    [`/api/open/orders/${'x'.repeat(5_000)}/explain/`, 404],
    ['/api/open/orders/%F0%9F%8E%81/explain/', 404],
    ['/api/open/members/%00/', 404],
    ['/api/open/members/%ED%A0%80', 400],
    ['/api/open/events/?after=%00', 400],
    ['/api/open/events/?after=%E0%A4%A', 400],
    ['/api/open/events/?after=%ED%A0%80', 400],
    ['/api/open/events/?after=v1.', 400],
    [`/api/open/events/?after=v1.${'A'.repeat(8_000)}`, 400],
    ['/api/open/events/?after=a&after=b', 400],
    ['/api/open/events/?after[]=a', 400],
    ['/api/open/events/?limit=%00', 400],
    ['/api/open/events/?limit=1e3', 400],
    ['/api/open/events/?limit=%2B5', 400],
    ['/api/open/events/?types=__proto__', 400],
    ['/api/open/events/?types=reward.issue%00', 400],
    ['/api/open/events/?%E0%A4%A=%zz', 400],
    ['/api/open/events/?__proto__[after]=a', 400],
    ['/api/open/events/?__proto__=a', 400],
    ['/api/open/orders/?constructor=a', 400],
    ['/api/open/deliveries/x/', 404],
  ])('GET %s is answered with %d', async (target, expected) => {
    const { status, headers, body } = await sendRaw(flow.url, head({}, target, '1.1', 'GET'));
    expect([status, body.slice(0, 300)]).toEqual([expected, expect.stringMatching(/^\{"(data|code)"/)]);
    expect(headers).toMatch(/^x-content-type-options: nosniff\r?$/im);
  });

  it('A request with an absolute URL requires a key', async () => {
    const bytes = head({ ...sized, 'X-Service-Key': '' }, `http://evil.example${syncPath}`) + valid;
    expect(await refused(bytes)).toEqual([401, 'invalid_api_key']);
  });

  it.each(['CONNECT', 'TRACE', 'QUERY', 'PURGE', 'M-SEARCH', 'PROPFIND'])(
    'The method %s is refused, or the connection is closed',
    async (method) => {
      const [status] = await refused(head(sized, syncPath, '1.1', method) + valid);
      expect([undefined, 400, 405]).toContain(status);
    },
  );

  it('A request to upgrade the connection is not upgraded', async () => {
    const upgrade = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Key': 'x', ...sized };
    expect(await refused(head({ ...upgrade, 'X-Service-Key': '' }) + valid)).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  it('A key that is sent twice is invalid', async () => {
    const twice = head(sized).replace('\r\n\r\n', `\r\nX-Service-Key: ${merchant.secretKey}\r\n\r\n`);
    expect(await refused(twice + valid)).toEqual([401, 'invalid_api_key']);
  });

  it('A body that ends too early is not queued', async () => {
    const cut = head({ 'Content-Length': '5000' }) + valid;
    const [status] = await refused(cut, true);
    expect([undefined, 400]).toContain(status);
  });

  it('A body that is longer than its Content-Length is not queued', async () => {
    const short = head({ 'Content-Length': String(valid.length - 5) }) + valid;
    expect(await refused(short)).toEqual([400, 'invalid_request']);
  });

  it('The server survives clients that disconnect in the middle of a request', async () => {
    const chunked = head({ 'Transfer-Encoding': 'chunked' });
    const beginnings = [
      'POST ',
      head(sized).slice(0, 60),
      head(sized),
      head(sized) + valid.slice(0, 30),
      chunked,
      `${chunked}ffff\r\n${valid.slice(0, 30)}`,
      `${chunked}${valid.length.toString(16)}\r\n${valid}\r\n`,
      `${head({ 'Content-Length': '5000', 'Content-Encoding': 'gzip' })}\x1f\x8b\x08`,
    ];
    await Promise.all(
      Array.from({ length: 5 }, () => beginnings)
        .flat()
        .map((bytes) => sendRaw(flow.url, bytes, { cut: true })),
    );
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'])(
    'A header, path segment, query field or body field named %s is refused or ignored',
    async (name) => {
      const boot = '/api/open/members/boot/';
      const hook = '/api/open/webhooks/x/test/';
      const { publicKey } = await flow.openMerchant();
      const toBoot = { ...sized, 'X-Service-Key': publicKey, 'Content-Encoding': name };
      expect(await refused(head({ ...sized, 'Content-Encoding': name }) + valid)).toEqual([
        400,
        'invalid_request',
      ]);
      expect(await refused(head(toBoot, boot) + valid)).toEqual([400, 'invalid_request']);
      expect(await refused(head({ ...sized, 'Content-Encoding': name }, hook) + valid)).toEqual([
        400,
        'invalid_request',
      ]);
      await refused(head({ ...sized, 'Content-Type': name }) + valid);
      await refused(head({ ...sized, 'Content-Type': `application/json; charset=${name}` }) + valid);
      await refused(head({ ...sized, 'X-Service-Key': name }) + valid);
      await refused(head({ ...sized, 'Transfer-Encoding': name }) + valid);
      await refused(head({ 'Content-Length': '0', Prefer: name, Expect: name }) + valid);
      await refused(head(sized, `${syncPath}${name}/`) + valid);
      for (const target of [
        `/api/open/events/?${name}=1`,
        `/api/open/${name}/`,
        `/api/open/members/${name}/`,
      ])
        await refused(head({}, target, '1.1', 'GET'));
      const body = `{"orders":[{"${name}":{"${name}":1}}]}`;
      await refused(head({ 'Content-Length': String(body.length) }) + body);
    },
  );

  it('The first of two pipelined requests is answered, even if the second is invalid', async () => {
    const bytes = `${head({ 'Content-Length': '2' })}{}GARBAGE\r\n\r\n`;
    const { status, body } = await sendRaw(flow.url, bytes);
    expect([status, (JSON.parse(body) as { code: string }).code]).toEqual([400, 'invalid_request']);
  });
});
