import fc from 'fast-check';
import { propertyCases } from '@rewardhook/testing/property-cases';
import { checkUrl } from './check-url.ts';
import { ssrfCases } from './fixtures/ssrf-cases.ts';

const strict = { allowLoopbackHttp: false };
const development = { allowLoopbackHttp: true };

describe('checkUrl', () => {
  it.each(ssrfCases.allowed)('accepts $what: $url', ({ url, called }) => {
    expect(checkUrl(url, strict)).toEqual({ ok: true, url: new URL(called ?? url) });
    expect(checkUrl(url, development).ok).toBe(true);
  });

  it('is tested with at least 100 private forms', () =>
    expect(ssrfCases.refused.length).toBeGreaterThan(100));

  it('is tested with a table whose published keys do not change', () => {
    const keysOf = (cases: object[]) => [...new Set(cases.flatMap((one) => Object.keys(one)))];
    expect(Object.keys(ssrfCases)).toEqual(['refused', 'allowed']);
    expect(keysOf(ssrfCases.refused)).toEqual(['tries', 'url']);
    expect(keysOf(ssrfCases.allowed)).toEqual(['what', 'url', 'called']);
  });

  it.each(ssrfCases.refused)('refuses $tries: $url', ({ url }) => {
    const checked = checkUrl(url.replace('{port}', '8443'), strict);
    expect(checked).toEqual({ ok: false, error: expect.anything() });
  });

  it('reports a problem of the host before one of the port', () => {
    expect(checkUrl('https://0x7f.1/', strict)).toEqual({
      ok: false,
      error: { code: 'url_private_address', parameters: {} },
    });
    expect(checkUrl('https://localhost./', strict)).toEqual({
      ok: false,
      error: { code: 'url_private_host', parameters: {} },
    });
  });

  it.each([
    ['a user name', 'https://user@hooks.example.com/', 'url_credentials'],
    ['a fragment', 'https://hooks.example.com/#top', 'url_fragment'],
    ['a URL that is too long', `https://hooks.example.com/${'a'.repeat(2048)}`, 'url_too_long'],
    ['a URL that gets too long', `https://hooks.example.com/${'상'.repeat(300)}`, 'url_too_long'],
    ['an empty label', 'https://hooks..example.com/', 'url_invalid_host'],
    ['a label that is too long', `https://${'a'.repeat(64)}.example.com/`, 'url_invalid_host'],
  ])('refuses %s with a code', (_what, url, code) => {
    const checked = checkUrl(url, strict);
    expect(checked).toEqual({
      ok: false,
      error: { code, parameters: code === 'url_too_long' ? { limit: 2048 } : {} },
    });
  });

  it.each([
    'http://127.0.0.1:6379/',
    'https://127.8.9.1/',
    'http://localhost:1/',
    'http://[::1]:3000/',
    'http://a.localhost/',
  ])('accepts %s in development only', (url) => {
    expect(checkUrl(url, development).ok).toBe(true);
    expect(checkUrl(url, strict).ok).toBe(false);
  });

  it.each([
    'http://10.0.0.1/',
    'https://192.168.0.1/',
    'http://[::ffff:127.0.0.1]/',
    'http://169.254.169.254/',
    'http://0.0.0.0/',
    'http://hooks.example.com/',
    'http://8.8.8.8/',
    'https://printer.local/',
    'http://redis/',
  ])('refuses %s even in development', (url) => expect(checkUrl(url, development).ok).toBe(false));

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (url) => typeof checkUrl(url, strict).ok === 'boolean'),
      { numRuns: propertyCases(100) },
    );
  });
});
