import { bootPath } from '../../../../tests/harness/call-api.ts';
import { startFlow } from '../../../../tests/harness/start-flow.ts';
import type { Flow } from '../../../../tests/harness/start-flow.ts';
import type { Merchant } from '../../../../tests/harness/open-merchant.ts';

let flow: Flow;
let merchant: Merchant;
beforeAll(async () => {
  flow = await startFlow({ workers: false });
});
beforeEach(async () => {
  merchant = await flow.openMerchant();
  await flow.admin('merchant update', { merchant: merchant.id, 'require-user-hash': 'false' });
});
afterAll(() => flow.close());

const page = 'https://shop.example.com';
const bootFrom = (origin: string, body: object = { user_id: 'ann' }, key = merchant.publicKey) =>
  flow.call(bootPath, body, { key, headers: { origin } });
const allow = (origins: string) =>
  flow.admin('merchant update', { merchant: merchant.id, 'allowed-origins': origins });

describe('a boot from a browser', () => {
  it('The preflight request needs no key and is allowed from every origin', async () => {
    const headers = { origin: page, 'access-control-request-method': 'POST' };
    const answer = await flow.call(bootPath, undefined, { method: 'OPTIONS', headers });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('access-control-allow-methods')).toBe('POST');
    expect(answer.headers.get('access-control-allow-headers')).toBe('content-type, x-service-key');
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    expect(answer.headers.get('vary')).toMatch(/origin/i);
  });

  it.each([
    ['content-type,x-service-key,traceparent,baggage,sentry-trace,x-datadog-trace-id', true],
    ['Content-Type, X-Service-Key', true],
    ['content-type,,x', false],
    ['content-type; x', false],
    [`content-type,${'x'.repeat(4_096)}`, false],
  ])('The preflight request for the headers %.40s is answered with them: %p', async (requested, isEchoed) => {
    const headers = { origin: page, 'access-control-request-method': 'POST' };
    const answer = await flow.call(bootPath, undefined, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-headers': requested },
    });
    expect([answer.status, answer.headers.get('access-control-allow-headers')]).toEqual([
      204,
      isEchoed ? requested : 'content-type, x-service-key',
    ]);
    expect(answer.headers.get('vary')).toMatch(/access-control-request-headers/i);
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('An app whose pages have an origin of its own is allowed by that origin', async () => {
    await allow('Capacitor://localhost, https://localhost');
    expect((await bootFrom('capacitor://localhost')).status).toBe(200);
    expect((await bootFrom('https://localhost')).status).toBe(200);
    for (const origin of ['ionic://localhost', 'capacitor://localhost:1', 'null'])
      expect((await bootFrom(origin)).status).toBe(403);
  });

  it('A page of any origin may call where the merchant has no allowed origins', async () => {
    const answer = await bootFrom(page);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(page);
    expect(answer.headers.get('vary')).toMatch(/origin/i);
  });

  it.each([
    'https://shop.example.com.evil.com',
    'http://shop.example.com',
    'https://shop.example.com:444',
    'null',
  ])(
    'A page of %s is refused where the merchant allows another origin, and can read the error',
    async (origin) => {
      await allow(page);
      const answer = await bootFrom(origin, { user_id: 'ann', referral_code: 'ABCD2345' });
      expect([answer.status, answer.body.code]).toEqual([403, 'origin_not_allowed']);
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(await flow.database.member.count({ where: { merchantId: merchant.id } })).toBe(0);
    },
  );

  it('Pages of each allowed origin are served, and programs that send no origin', async () => {
    await allow(`${page}, https://m.example.com`);
    for (const origin of [page, 'https://m.example.com'])
      expect((await bootFrom(origin)).headers.get('access-control-allow-origin')).toBe(origin);
    expect((await flow.boot(merchant, { user_id: 'ann' })).status).toBe(200);
    await allow('');
    expect((await bootFrom('https://elsewhere.example')).status).toBe(200);
  });

  it('A page can read errors about its key and its body', async () => {
    await allow(page);
    const wrongKey = await bootFrom(page, {}, 'svc_pk_wrong');
    const wrongBody = await bootFrom(page, {});
    expect([wrongKey.status, wrongBody.status]).toEqual([401, 400]);
    for (const { headers } of [wrongKey, wrongBody])
      expect(headers.get('access-control-allow-origin')).toBe(page);
  });

  it('Browsers may call no other path', async () => {
    const headers = { origin: page };
    const link = await flow.call('/api/open/members/link/', undefined, {
      method: 'OPTIONS',
      headers,
    });
    expect(link.status).toBe(405);
    expect(link.headers.get('access-control-allow-origin')).toBeNull();
  });
});
